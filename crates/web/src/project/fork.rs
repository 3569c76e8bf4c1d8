//! Forks of a project, and stars.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::project::{self, ForkProject, ListProjects, ProjectView};
use tenon_app::{Query, Reference};
use tenon_domain::namespace::Namespace;
use tenon_domain::page::Page;
use tenon_domain::transition::Transition;

use super::frame::{ProjectFrame, Tab};
use super::new::{NO_HOME, home_choices, homes};
use super::{Asked, Room};
use crate::answer::Answer;
use crate::error::PageError;
use crate::form::{Form, Problems};
use crate::frame::Frame;
use crate::home::ProjectRow;
use crate::issuable::list::Choice;
use crate::pagination::{Pagination, chosen};

#[derive(Template)]
#[template(path = "project/forks.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    projects: Vec<ProjectRow>,
    pages: Pagination,
}

#[derive(Template)]
#[template(path = "project/fork.html")]
struct FormPage {
    frame: Frame,
    project: ProjectFrame,
    problems: Problems,
    typed: Typed,
    homes: Vec<Choice>,
}

/// What was typed into the form of a fork, or stands in it at first.
#[derive(Debug, Default)]
struct Typed {
    namespace: String,
    name: String,
    path: String,
}

impl Typed {
    fn sent(form: Form<'_>) -> Self {
        let text = |field: &str| form.filled("", field).unwrap_or_default();
        Self { namespace: text("namespace_id"), name: text("name"), path: text("path") }
    }
}

pub(super) fn read_list(query: &mut Query<'_>, asked: &Asked) -> Result<Page<ProjectView>, AppError> {
    let request = ListProjects { simple: true, page: chosen(&asked.query), ..ListProjects::default() };
    project::forks(query, &asked.project, request)
}

pub(super) async fn list(room: Room, found: Page<ProjectView>) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Overview).with_twin("/forks");
    let pages = Pagination::of(&found);
    let projects = found.items.into_iter().map(|view| ProjectRow::new(&room.frame.root, view.brief)).collect();
    Answer::cacheable(&ListPage { frame: room.frame, project, projects, pages })
}

pub(super) fn read_new(query: &mut Query<'_>, asked: &Asked) -> Result<Vec<Namespace>, AppError> {
    query.user()?;
    free_homes(query, &asked.project, asked.query.text("namespace_id").unwrap_or_default())
}

/// Where a fork can be: the namespaces in which its name is not taken, and the one that is named.
fn free_homes(query: &mut Query<'_>, project: &Reference, named: &str) -> Result<Vec<Namespace>, AppError> {
    let homes = homes(query, named)?;
    let asked = homes.iter().find(|home| home.id.to_string() == named).cloned();
    let mut free = project::targets(query, project, homes)?;
    if let Some(asked) = asked.filter(|asked| free.iter().all(|home| home.id != asked.id)) {
        free.insert(0, asked);
    }
    Ok(free)
}

/// The form of a fork, filled with what the address says. 403 where the caller may not read the code.
pub(super) async fn new(room: Room, found: Vec<Namespace>) -> Result<Answer, PageError> {
    let brief = &room.page.view.brief;
    let typed = Typed {
        namespace: room.asked.query.text("namespace_id").unwrap_or_default().to_owned(),
        name: brief.project.name.clone(),
        path: brief.project.path.clone(),
    };
    form(room, found, typed, Problems::default())
}

fn form(room: Room, found: Vec<Namespace>, typed: Typed, problems: Problems) -> Result<Answer, PageError> {
    room.code()?;
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Overview);
    let homes = home_choices(&found, &typed.namespace);
    Answer::page(&FormPage { frame: room.frame, project, problems, typed, homes })
}

/// Makes a fork, and leads to it.
pub(super) async fn create(room: Room) -> Result<Answer, PageError> {
    let typed = Typed::sent(room.visit.form());
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let request = ForkProject {
        namespace: given(&typed.namespace).map(|named| Reference::parse(&named)),
        name: given(&typed.name),
        path: given(&typed.path),
        ..ForkProject::default()
    };
    let project = room.project();
    match room.visit.write(move |command| project::fork(command, &project, request)).await {
        Ok(view) => Ok(Answer::done(&room.visit.own(&format!("/{}", view.brief.full_path)))),
        Err(error) => {
            let problems = match error {
                AppError::NotFound(_) | AppError::Forbidden => Problems::with("namespace_id", NO_HOME),
                error => Problems::of(error)?,
            };
            let named = typed.namespace.clone();
            let of = room.project();
            let (frame, found) = room.visit.read(move |query| free_homes(query, &of, &named)).await?;
            let page = form(Room { frame, ..room }, found, typed, problems)?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

/// Stars the project, or takes the star back.
pub(super) async fn toggle_star(room: Room) -> Result<Answer, PageError> {
    let project = room.project();
    room.visit
        .write(move |command| {
            if let Transition::Stayed(_) = project::star(command, &project)? {
                project::unstar(command, &project)?;
            }
            Ok(())
        })
        .await?;
    Ok(room.done(""))
}

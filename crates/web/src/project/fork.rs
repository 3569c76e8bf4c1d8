//! Forks of a project, and stars.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::project::{self, ForkProject, ListProjects, ProjectView};
use tenon_app::{Query, Reference};
use tenon_domain::page::Page;
use tenon_domain::transition::Transition;

use super::frame::{ProjectFrame, Tab};
use super::new::homes;
use super::{Asked, Room};
use crate::answer::Answer;
use crate::error::PageError;
use crate::form::Problems;
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
    homes: Vec<Choice>,
}

pub(super) fn read_list(query: &mut Query<'_>, asked: &Asked) -> Result<Page<ProjectView>, AppError> {
    let request = ListProjects { simple: true, page: chosen(&asked.query), ..ListProjects::default() };
    project::forks(query, &asked.project, request)
}

pub(super) async fn list(room: Room, found: Page<ProjectView>) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Overview).with_twin("/forks");
    let pages = Pagination::of(&found);
    let projects = found.items.into_iter().map(|view| ProjectRow::new(&room.frame.root, view.brief)).collect();
    Answer::page(&ListPage { frame: room.frame, project, projects, pages })
}

pub(super) fn read_new(query: &mut Query<'_>, _: &Asked) -> Result<Vec<(i64, String)>, AppError> {
    query.user()?;
    homes(query)
}

/// The form of a fork. 403 where the caller may not read the code.
pub(super) async fn new(room: Room, found: Vec<(i64, String)>) -> Result<Answer, PageError> {
    form(room, found, String::new(), Problems::default())
}

fn form(room: Room, found: Vec<(i64, String)>, named: String, problems: Problems) -> Result<Answer, PageError> {
    room.code()?;
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Overview);
    let choice = |(id, path): (i64, String)| Choice::new(&id.to_string(), &path, id.to_string() == named);
    let homes = found.into_iter().map(choice).collect();
    Answer::page(&FormPage { frame: room.frame, project, problems, homes })
}

/// Makes a fork, and leads to it.
pub(super) async fn create(room: Room) -> Result<Answer, PageError> {
    let named = room.visit.form().filled("", "namespace_id").unwrap_or_default();
    let namespace = Some(named.as_str()).filter(|named| !named.is_empty()).map(Reference::parse);
    let (project, request) = (room.project(), ForkProject { namespace, ..ForkProject::default() });
    match room.visit.write(move |command| project::fork(command, &project, request)).await {
        Ok(view) => Ok(Answer::done(&room.visit.own(&format!("/{}", view.brief.full_path)))),
        Err(error) => {
            let problems = match error {
                AppError::NotFound(_) | AppError::Forbidden => {
                    Problems::with("namespace_id", "Namespace is not one in which you may make projects")
                }
                error => Problems::of(error)?,
            };
            let asked = room.asked.clone();
            let (frame, found) = room.visit.read(move |query| read_new(query, &asked)).await?;
            let page = form(Room { frame, ..room }, found, named, problems)?;
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

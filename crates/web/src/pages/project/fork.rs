//! Forks of a project, and stars.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::project::{self, ForkProject, ListProjects, ProjectView};
use tenon_app::{Query, Reference};
use tenon_domain::namespace::Namespace;
use tenon_domain::page::Page;
use tenon_domain::transition::Transition;

use super::new::{NO_HOME, home_choices, homes};
use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::error::PageError;
use crate::kit::form::Form;
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::problems::Problems;
use crate::kit::return_to::ReturnTo;
use crate::parts::project_list::ProjectRow;

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
    typed: FormValues,
    homes: Vec<Choice>,
}

/// The values of the form of a fork, typed or initial.
#[derive(Debug, Default)]
struct FormValues {
    namespace: String,
    name: String,
    path: String,
}

impl FormValues {
    fn sent(form: Form<'_>) -> Self {
        let text = |field: &str| form.filled("", field).unwrap_or_default();
        Self { namespace: text("namespace_id"), name: text("name"), path: text("path") }
    }
}

pub(super) fn read_list(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Page<ProjectView>, AppError> {
    let request = ListProjects { simple: true, page: chosen(&asked.query), ..ListProjects::default() };
    project::forks(query, &asked.project, request)
}

pub(super) async fn list(context: ProjectContext, found: Page<ProjectView>) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Overview).with_api_path("/forks");
    let pages = Pagination::of(&found);
    let projects = found.items.into_iter().map(|view| ProjectRow::new(&context.frame.root, view.brief)).collect();
    Answer::cacheable(&ListPage { frame: context.frame, project, projects, pages })
}

pub(super) fn read_new(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Vec<Namespace>, AppError> {
    query.user()?;
    free_homes(query, &asked.project, asked.query.text("namespace_id").unwrap_or_default())
}

/// The namespaces in which the name of a fork is not taken, and the one that is named.
fn free_homes(query: &mut Query<'_>, project: &Reference, named: &str) -> Result<Vec<Namespace>, AppError> {
    let homes = homes(query, named)?;
    let asked = homes.iter().find(|home| home.id.to_string() == named).cloned();
    let mut free = project::targets(query, project, homes)?;
    if let Some(asked) = asked.filter(|asked| free.iter().all(|home| home.id != asked.id)) {
        free.insert(0, asked);
    }
    Ok(free)
}

/// The form of a fork, filled with the values in the address. 403 if the caller may not read the code.
pub(super) async fn new(context: ProjectContext, found: Vec<Namespace>) -> Result<Answer, PageError> {
    let brief = &context.page.view.brief;
    let typed = FormValues {
        namespace: context.asked.query.text("namespace_id").unwrap_or_default().to_owned(),
        name: brief.project.name.clone(),
        path: brief.project.path.clone(),
    };
    form(context, found, typed, Problems::default())
}

fn form(
    context: ProjectContext,
    found: Vec<Namespace>,
    typed: FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    context.code()?;
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Overview);
    let homes = home_choices(&found, &typed.namespace);
    Answer::page(&FormPage { frame: context.frame, project, problems, typed, homes })
}

/// Makes a fork, and leads to it. With `own=1` it is the one for proposals, which is made once.
pub(super) async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let sent = context.request.form();
    if sent.ticked("", "own") {
        let back = ReturnTo::parse(sent.filled("", "back").as_deref());
        let project = context.project();
        return match context.request.write(move |command| project::fork_once(command, &project)).await {
            Ok(fork) => Ok(Answer::done(&back.or(context.request.own(&format!("/{}", fork.full_path))))),
            Err(error) => refused(context, FormValues::default(), error).await,
        };
    }
    let typed = FormValues::sent(context.request.form());
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let request = ForkProject {
        namespace: given(&typed.namespace).map(|named| Reference::parse(&named)),
        name: given(&typed.name),
        path: given(&typed.path),
        ..ForkProject::default()
    };
    let project = context.project();
    match context.request.write(move |command| project::fork(command, &project, request)).await {
        Ok(view) => Ok(Answer::done(&context.request.own(&format!("/{}", view.brief.full_path)))),
        Err(error) => refused(context, typed, error).await,
    }
}

async fn refused(context: ProjectContext, typed: FormValues, error: AppError) -> Result<Answer, PageError> {
    let problems = match error {
        AppError::NotFound(_) | AppError::Forbidden => Problems::with("namespace_id", NO_HOME),
        error => Problems::of(error)?,
    };
    let named = typed.namespace.clone();
    let of = context.project();
    let (frame, found) = context.request.read(move |query| free_homes(query, &of, &named)).await?;
    let page = form(ProjectContext { frame, ..context }, found, typed, problems)?;
    Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// Stars the project, or removes the star.
pub(super) async fn toggle_star(context: ProjectContext) -> Result<Answer, PageError> {
    let project = context.project();
    context
        .request
        .write(move |command| {
            if let Transition::Stayed(_) = project::star(command, &project)? {
                project::unstar(command, &project)?;
            }
            Ok(())
        })
        .await?;
    Ok(context.done(""))
}

//! Lists of projects: those of which a user is a member, and those that a user has starred.

use askama::Template;
use tenon_app::error::AppError;
use tenon_app::project::{self, ListProjects, ProjectView};
use tenon_app::{Query, ssh_key};
use tenon_domain::page::Page;

use super::frame::DashboardFrame;
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::parts::project_list::{ProjectList, ProjectOrdering};

#[derive(Template)]
#[template(path = "dashboard/projects.html")]
struct ProjectsPage {
    frame: Frame,
    top: DashboardFrame,
    title: &'static str,
    base_url: String,
    listed: ProjectList,
    /// True if the user is asked to add an SSH key.
    asks_for_key: bool,
    /// True if the list is still empty, and the page suggests the next steps.
    is_first_start: bool,
    may_create_group: bool,
}

/// The caller's projects. True if the page asks for an SSH key.
type Own = (DashboardFrame, Page<ProjectView>, bool);

/// Reads the projects that the caller is a member of.
fn of_caller(query: &mut Query<'_>, request: ListProjects) -> Result<Own, AppError> {
    let top = DashboardFrame::read(query, "projects")?;
    let page = project::list(query, ListProjects { membership: true, ..request })?;
    Ok((top, page, ssh_key::is_asked_for(query)?))
}

pub(super) async fn own(context: RequestContext) -> Result<Answer, PageError> {
    let order = ProjectOrdering::parse(context.parameters());
    let request = order.request(context.parameters());
    let (frame, found) = context.read(move |query| of_caller(query, request)).await?;
    let is_first_start = found.1.total == 0 && order.search.is_empty();
    present(&context, frame, "Your projects", found, order, is_first_start)
}

pub(super) async fn starred(context: RequestContext) -> Result<Answer, PageError> {
    let order = ProjectOrdering::parse(context.parameters());
    let request = ListProjects { starred: true, ..order.request(context.parameters()) };
    let read =
        context.read(move |query| Ok((DashboardFrame::read(query, "starred")?, project::list(query, request)?, false)));
    let (frame, found) = read.await?;
    present(&context, frame, "Starred projects", found, order, false)
}

fn present(
    context: &RequestContext,
    frame: Frame,
    title: &'static str,
    (top, page, asks_for_key): Own,
    order: ProjectOrdering,
    is_first_start: bool,
) -> Result<Answer, PageError> {
    let listed = ProjectList::new(&frame.root, order, context.parameters(), page);
    let base_url = context.app().base_url().to_owned();
    Answer::cacheable(&ProjectsPage {
        may_create_group: frame.user.as_ref().is_some_and(|user| user.may_create_group),
        frame,
        top,
        title,
        base_url,
        listed,
        asks_for_key: asks_for_key && context.app().serves_ssh(),
        is_first_start,
    })
}

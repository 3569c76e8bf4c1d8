//! Projects of a user: the personal ones, those with contributions of the user, and those that the user has starred.

use askama::Template;
use tenon_app::error::AppError;
use tenon_app::project::{self, ListProjects, ProjectView};
use tenon_app::{Query, Reference, contribution};
use tenon_domain::page::Page;

use super::frame::{Tab, UserFrame, find, named, reference};
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::parts::project_list::{ProjectList, ProjectOrdering};

#[derive(Template)]
#[template(path = "user/projects.html")]
struct ProjectsPage {
    frame: Frame,
    top: UserFrame,
    title: &'static str,
    listed: ProjectList,
}

/// The use case that lists projects of a user.
type List = fn(&mut Query<'_>, &Reference, ListProjects) -> Result<Page<ProjectView>, AppError>;

pub(super) async fn own(context: RequestContext) -> Result<Answer, PageError> {
    list(context, Tab::Projects, "Personal projects", project::of_user).await
}

pub(super) async fn contributed(context: RequestContext) -> Result<Answer, PageError> {
    let found: List = |query, user, request| contribution::projects_of_user(query, user, &request);
    list(context, Tab::Contributed, "Contributed projects", found).await
}

pub(super) async fn starred(context: RequestContext) -> Result<Answer, PageError> {
    let found: List = |query, user, request| project::starred_by(query, user, &request);
    list(context, Tab::Starred, "Starred projects", found).await
}

async fn list(context: RequestContext, tab: Tab, title: &'static str, of: List) -> Result<Answer, PageError> {
    let name = named(&context)?;
    let order = ProjectOrdering::parse(context.parameters());
    let request = order.request(context.parameters());
    let read = context.read(move |query| {
        let found = find(query, &name)?;
        Ok((of(query, &reference(&found), request)?, found))
    });
    let (frame, (page, found)) = read.await?;
    let listed = ProjectList::new(&frame.root, order, context.parameters(), page);
    Answer::cacheable(&ProjectsPage { top: UserFrame::new(&frame, &found, tab), frame, title, listed })
}

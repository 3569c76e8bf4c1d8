//! Projects of a user: the personal ones, those that the user has contributed to, and those that the user has starred.

use askama::Template;
use tenon_app::contribution;
use tenon_app::error::AppError;
use tenon_app::project::{self, ListProjects, ProjectView};
use tenon_app::{Query, Reference};
use tenon_domain::page::Page;

use super::{Tab, UserTop, find, named, reference};
use crate::answer::Answer;
use crate::dashboard::{ProjectList, ProjectOrdering};
use crate::error::PageError;
use crate::frame::Frame;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "user/projects.html")]
struct ProjectsPage {
    frame: Frame,
    top: UserTop,
    title: &'static str,
    listed: ProjectList,
}

/// The use case that lists projects of a user.
type List = fn(&mut Query<'_>, &Reference, ListProjects) -> Result<Page<ProjectView>, AppError>;

pub(super) async fn own(visit: Visit) -> Result<Answer, PageError> {
    list(visit, Tab::Projects, "Personal projects", project::of_user).await
}

pub(super) async fn contributed(visit: Visit) -> Result<Answer, PageError> {
    let found: List = |query, user, request| contribution::projects_of_user(query, user, &request);
    list(visit, Tab::Contributed, "Projects contributed to", found).await
}

pub(super) async fn starred(visit: Visit) -> Result<Answer, PageError> {
    let found: List = |query, user, request| project::starred_by(query, user, &request);
    list(visit, Tab::Starred, "Starred projects", found).await
}

async fn list(visit: Visit, tab: Tab, title: &'static str, of: List) -> Result<Answer, PageError> {
    let name = named(&visit)?;
    let order = ProjectOrdering::parse(visit.parameters());
    let request = order.request(visit.parameters());
    let read = visit.read(move |query| {
        let found = find(query, &name)?;
        Ok((of(query, &reference(&found), request)?, found))
    });
    let (frame, (page, found)) = read.await?;
    let listed = ProjectList::new(&frame.root, order, visit.parameters(), page);
    Answer::cacheable(&ProjectsPage { top: UserTop::new(&frame, &found, tab), frame, title, listed })
}

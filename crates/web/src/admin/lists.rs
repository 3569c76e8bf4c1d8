//! All projects and all groups.

use askama::Template;
use tenon_app::{group, project};

use crate::answer::Answer;
use crate::dashboard::{ProjectList, ProjectOrdering};
use crate::error::PageError;
use crate::explore::GroupList;
use crate::frame::Frame;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "admin/projects.html")]
struct ProjectsPage {
    frame: Frame,
    listed: ProjectList,
}

#[derive(Template)]
#[template(path = "admin/groups.html")]
struct GroupsPage {
    frame: Frame,
    listed: GroupList,
}

pub(super) async fn projects(visit: Visit) -> Result<Answer, PageError> {
    let order = ProjectOrdering::parse(visit.parameters());
    let request = order.request(visit.parameters());
    let (frame, page) = visit.read(move |query| project::list(query, request)).await?;
    let listed = ProjectList::new(&frame.root, order, visit.parameters(), page);
    Answer::page(&ProjectsPage { frame, listed })
}

pub(super) async fn groups(visit: Visit) -> Result<Answer, PageError> {
    let request = GroupList::request(visit.parameters());
    let (frame, page) = visit.read(move |query| group::list(query, request)).await?;
    let listed = GroupList::new(&frame.root, visit.parameters(), page);
    Answer::page(&GroupsPage { frame, listed })
}

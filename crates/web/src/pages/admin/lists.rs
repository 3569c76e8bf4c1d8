//! All projects and all groups.

use askama::Template;
use tenon_app::{group, project};

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::parts::group_list::GroupList;
use crate::parts::project_list::{ProjectList, ProjectOrdering};

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

pub(super) async fn projects(context: RequestContext) -> Result<Answer, PageError> {
    let order = ProjectOrdering::parse(context.parameters());
    let request = order.request(context.parameters());
    let (frame, page) = context.read(move |query| project::list(query, request)).await?;
    let listed = ProjectList::new(&frame.root, order, context.parameters(), page);
    Answer::page(&ProjectsPage { frame, listed })
}

pub(super) async fn groups(context: RequestContext) -> Result<Answer, PageError> {
    let request = GroupList::request(context.parameters());
    let (frame, page) = context.read(move |query| group::list(query, request)).await?;
    let listed = GroupList::new(&frame.root, context.parameters(), page);
    Answer::page(&GroupsPage { frame, listed })
}

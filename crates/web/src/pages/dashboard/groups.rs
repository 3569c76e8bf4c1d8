//! The caller's groups.

use askama::Template;
use tenon_app::group::{self, ListGroups};

use super::frame::DashboardFrame;
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::parts::group_list::GroupList;

#[derive(Template)]
#[template(path = "dashboard/groups.html")]
struct GroupsPage {
    frame: Frame,
    top: DashboardFrame,
    listed: GroupList,
    may_create_group: bool,
}

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    // Administrators see all groups on another page. This is their own list.
    let request = ListGroups { all_available: Some(false), ..GroupList::request(context.parameters()) };
    let read = context.read(move |query| Ok((DashboardFrame::read(query, "groups")?, group::list(query, request)?)));
    let (frame, (top, page)) = read.await?;
    let listed = GroupList::new(&frame.root, context.parameters(), page);
    let may_create_group = frame.user.as_ref().is_some_and(|user| user.may_create_group);
    Answer::cacheable(&GroupsPage { frame, top, listed, may_create_group })
}

//! The groups that the caller has to do with.

use askama::Template;
use tenon_app::group::{self, ListGroups};

use super::Top;
use crate::answer::Answer;
use crate::error::PageError;
use crate::explore::GroupList;
use crate::frame::Frame;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "dashboard/groups.html")]
struct GroupsPage {
    frame: Frame,
    top: Top,
    listed: GroupList,
    may_create_group: bool,
}

pub(super) async fn list(visit: Visit) -> Result<Answer, PageError> {
    // Administrators see all groups elsewhere; this is their own list.
    let request = ListGroups { all_available: Some(false), ..GroupList::request(visit.parameters()) };
    let read = visit.read(move |query| Ok((Top::read(query, "groups")?, group::list(query, request)?)));
    let (frame, (top, page)) = read.await?;
    let listed = GroupList::new(&frame.root, visit.parameters(), page);
    let may_create_group = frame.user.as_ref().is_some_and(|user| user.may_create_group);
    Answer::cacheable(&GroupsPage { frame, top, listed, may_create_group })
}

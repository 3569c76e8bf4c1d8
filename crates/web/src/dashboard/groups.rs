//! The groups that the caller has to do with.

use askama::Template;
use tenon_app::group::{self, ListGroups};

use super::Top;
use crate::answer::Answer;
use crate::error::PageError;
use crate::explore::GroupRow;
use crate::frame::Frame;
use crate::pagination::{Pagination, chosen};
use crate::place::in_query;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "dashboard/groups.html")]
struct GroupsPage {
    frame: Frame,
    top: Top,
    search: String,
    groups: Vec<GroupRow>,
    pages: Pagination,
    may_create_group: bool,
}

pub(super) async fn list(visit: Visit) -> Result<Answer, PageError> {
    let search = visit.parameters().words("search").unwrap_or_default();
    let request = ListGroups {
        // Administrators see all groups elsewhere; this is their own list.
        all_available: Some(false),
        search: Some(search.clone()).filter(|text| !text.is_empty()),
        page: chosen(visit.parameters()),
        ..ListGroups::default()
    };
    let read = visit.read(move |query| Ok((Top::read(query, "groups")?, group::list(query, request)?)));
    let (frame, (top, page)) = read.await?;
    let query = if search.is_empty() { String::new() } else { format!("search={}", in_query(&search)) };
    let pages = Pagination::of(&page).with_query(&query);
    let groups = page.items.into_iter().map(|view| GroupRow::new(&frame.root, view)).collect();
    let may_create_group = frame.user.as_ref().is_some_and(|user| user.may_create_group);
    Answer::cacheable(&GroupsPage { frame, top, search, groups, pages, may_create_group })
}

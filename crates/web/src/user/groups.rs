//! The groups of a user.

use askama::Template;
use tenon_app::group;

use super::{Tab, UserTop, find, named, reference};
use crate::answer::Answer;
use crate::error::PageError;
use crate::explore::GroupRow;
use crate::frame::Frame;
use crate::pagination::{Pagination, chosen};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "user/groups.html")]
struct GroupsPage {
    frame: Frame,
    top: UserTop,
    groups: Vec<GroupRow>,
    pages: Pagination,
}

pub(super) async fn list(visit: Visit) -> Result<Answer, PageError> {
    let name = named(&visit)?;
    let request = chosen(visit.parameters());
    let read = visit.read(move |query| {
        let found = find(query, &name)?;
        Ok((group::of_user(query, &reference(&found), request)?, found))
    });
    let (frame, (page, found)) = read.await?;
    let pages = Pagination::of(&page);
    let groups = page.items.into_iter().map(|view| GroupRow::new(&frame.root, view)).collect();
    Answer::cacheable(&GroupsPage { top: UserTop::new(&frame, &found, Tab::Groups), frame, groups, pages })
}

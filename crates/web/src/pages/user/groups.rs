//! The groups of a user.

use askama::Template;
use tenon_app::group;

use super::frame::{Tab, UserFrame, find, named, reference};
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::{Pagination, chosen};
use crate::parts::group_list::GroupRow;

#[derive(Template)]
#[template(path = "user/groups.html")]
struct GroupsPage {
    frame: Frame,
    top: UserFrame,
    groups: Vec<GroupRow>,
    pages: Pagination,
}

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    let name = named(&context)?;
    let request = chosen(context.parameters());
    let read = context.read(move |query| {
        let found = find(query, &name)?;
        Ok((group::of_user(query, &reference(&found), request)?, found))
    });
    let (frame, (page, found)) = read.await?;
    let pages = Pagination::of(&page);
    let groups = page.items.into_iter().map(|view| GroupRow::new(&frame.root, view)).collect();
    Answer::cacheable(&GroupsPage { top: UserFrame::new(&frame, &found, Tab::Groups), frame, groups, pages })
}

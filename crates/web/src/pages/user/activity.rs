//! The contributions of a user, in projects that the caller may see.

use askama::Template;
use tenon_app::{contribution, user};
use tenon_domain::id::UserId;

use super::frame::{Tab, UserFrame, find, named, reference};
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::error::PageError;
use crate::kit::pagination::Pagination;
use crate::parts::activity::{Happening, Kind, in_projects, newest, with_paths};
use crate::parts::feed::{self, ENTRIES};

#[derive(Template)]
#[template(path = "user/activity.html")]
struct ActivityPage {
    frame: Frame,
    top: UserFrame,
    kinds: Vec<Choice>,
    happenings: Vec<Happening>,
    pages: Pagination,
}

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    let name = named(&context)?;
    let kind = Kind::parse(context.parameters());
    let request = kind.request(context.parameters());
    let read = context.read(move |query| {
        let found = find(query, &name)?;
        let page = contribution::of_user(query, &reference(&found), &request)?;
        Ok((with_paths(query, page)?, found))
    });
    let (frame, ((page, paths), found)) = read.await?;
    Answer::cacheable(&ActivityPage {
        top: UserFrame::new(&frame, &found, Tab::Activity),
        kinds: kind.choices(),
        pages: Pagination::of(&page).with_query(&kind.query()),
        happenings: in_projects(&frame, &paths, page.items),
        frame,
    })
}

/// The same for feed readers.
pub(crate) async fn feed(context: RequestContext, id: UserId) -> Result<Answer, PageError> {
    let read = context.ask(move |query| {
        let found = user::show(query, id, false)?;
        let page = contribution::of_user(query, &reference(&found), &newest(ENTRIES))?;
        Ok((with_paths(query, page)?, found))
    });
    let ((page, paths), found) = read.await?;
    feed::of_user(&context, &found, &paths, page.items)
}

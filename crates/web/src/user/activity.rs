//! What a user has done, in projects that the caller may see.

use askama::Template;
use tenon_app::contribution;
use tenon_app::user;
use tenon_domain::id::UserId;

use super::{Tab, UserTop, find, named, reference};
use crate::activity::{Happening, Kind, in_projects, newest, with_paths};
use crate::answer::Answer;
use crate::error::PageError;
use crate::feed::{self, ENTRIES};
use crate::frame::Frame;
use crate::issuable::list::Choice;
use crate::pagination::Pagination;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "user/activity.html")]
struct ActivityPage {
    frame: Frame,
    top: UserTop,
    kinds: Vec<Choice>,
    happenings: Vec<Happening>,
    pages: Pagination,
}

pub(super) async fn list(visit: Visit) -> Result<Answer, PageError> {
    let name = named(&visit)?;
    let kind = Kind::parse(visit.parameters());
    let request = kind.request(visit.parameters());
    let read = visit.read(move |query| {
        let found = find(query, &name)?;
        let page = contribution::of_user(query, &reference(&found), &request)?;
        Ok((with_paths(query, page)?, found))
    });
    let (frame, ((page, paths), found)) = read.await?;
    Answer::cacheable(&ActivityPage {
        top: UserTop::new(&frame, &found, Tab::Activity),
        kinds: kind.choices(),
        pages: Pagination::of(&page).with_query(&kind.query()),
        happenings: in_projects(&frame, &paths, page.items),
        frame,
    })
}

/// The same for programs that readers have.
pub(crate) async fn feed(visit: Visit, id: UserId) -> Result<Answer, PageError> {
    let read = visit.ask(move |query| {
        let found = user::show(query, id, false)?;
        let page = contribution::of_user(query, &reference(&found), &newest(ENTRIES))?;
        Ok((with_paths(query, page)?, found))
    });
    let ((page, paths), found) = read.await?;
    feed::of_user(&visit, &found, &paths, page.items)
}

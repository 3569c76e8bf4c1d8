//! What a user has done, in projects that the caller may see.

use askama::Template;
use tenon_app::contribution;
use tenon_app::user;
use tenon_domain::id::UserId;

use super::{Tab, UserTop, find, named, reference};
use crate::activity::{Happening, Narrowed, happening, newest};
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
    let narrowed = Narrowed::parse(visit.parameters());
    let request = narrowed.request(visit.parameters());
    let read = visit.read(move |query| {
        let found = find(query, &name)?;
        Ok((contribution::of_user(query, &reference(&found), &request)?, found))
    });
    let (frame, (page, found)) = read.await?;
    Answer::page(&ActivityPage {
        top: UserTop::new(&frame, &found, Tab::Activity),
        kinds: narrowed.choices(),
        pages: Pagination::of(&page).with_query(&narrowed.query()),
        happenings: page.items.into_iter().map(|view| happening(&frame, None, view)).collect(),
        frame,
    })
}

/// The same for programs that readers have.
pub(crate) async fn feed(visit: Visit, id: UserId) -> Result<Answer, PageError> {
    let read = visit.ask(move |query| {
        let found = user::show(query, id, false)?;
        Ok((contribution::of_user(query, &reference(&found), &newest(ENTRIES))?, found))
    });
    let (page, found) = read.await?;
    feed::of_user(&visit, &found, page.items)
}

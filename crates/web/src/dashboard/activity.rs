//! What happened in the projects of the caller, or in those that the caller has starred.

use askama::Template;
use tenon_app::contribution;

use super::Top;
use crate::activity::{Happening, Kind, in_projects, with_paths};
use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::issuable::list::Choice;
use crate::pagination::Pagination;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "dashboard/activity.html")]
struct ActivityPage {
    frame: Frame,
    top: Top,
    is_of_starred: bool,
    kinds: Vec<Choice>,
    happenings: Vec<Happening>,
    pages: Pagination,
}

pub(super) async fn list(visit: Visit) -> Result<Answer, PageError> {
    let kind = Kind::parse(visit.parameters());
    let request = kind.request(visit.parameters());
    let is_of_starred = visit.query("filter") == Some("starred");
    let read = visit.read(move |query| {
        let top = Top::read(query, "activity")?;
        let list = if is_of_starred { contribution::of_starred } else { contribution::of_memberships };
        let page = list(query, &request)?;
        Ok((top, with_paths(query, page)?))
    });
    let (frame, (top, (page, paths))) = read.await?;
    let starred = if is_of_starred { "filter=starred" } else { "" };
    let and = if kind.query().is_empty() || starred.is_empty() { "" } else { "&" };
    Answer::cacheable(&ActivityPage {
        top,
        is_of_starred,
        kinds: kind.choices(),
        pages: Pagination::of(&page).with_query(&format!("{starred}{and}{}", kind.query())),
        happenings: in_projects(&frame, &paths, page.items),
        frame,
    })
}

//! Events in the projects of the caller, or in those that the caller has starred.

use askama::Template;
use tenon_app::contribution;

use super::frame::DashboardFrame;
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::error::PageError;
use crate::kit::pagination::Pagination;
use crate::parts::activity::{Happening, Kind, in_projects, with_paths};

#[derive(Template)]
#[template(path = "dashboard/activity.html")]
struct ActivityPage {
    frame: Frame,
    top: DashboardFrame,
    is_of_starred: bool,
    kinds: Vec<Choice>,
    happenings: Vec<Happening>,
    pages: Pagination,
}

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    let kind = Kind::parse(context.parameters());
    let request = kind.request(context.parameters());
    let is_of_starred = context.query("filter") == Some("starred");
    let read = context.read(move |query| {
        let top = DashboardFrame::read(query, "activity")?;
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

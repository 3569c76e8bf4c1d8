//! The milestones of the caller's groups and projects.

use askama::Template;
use tenon_app::milestone;

use super::Top;
use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::issuable::parts::own_path;
use crate::milestone::{Shown, wanted_state};
use crate::pagination::{Pagination, chosen};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "dashboard/milestones.html")]
struct MilestonesPage {
    frame: Frame,
    top: Top,
    state: &'static str,
    rows: Vec<Shown>,
    pages: Pagination,
}

pub(super) async fn list(visit: Visit) -> Result<Answer, PageError> {
    let (state, active) = wanted_state(visit.query("state"));
    let request = chosen(visit.parameters());
    let read = visit
        .read(move |query| Ok((Top::read(query, "milestones")?, milestone::list_of_caller(query, active, request)?)));
    let (frame, (top, found)) = read.await?;
    let base_url = visit.app().base_url();
    let pages = Pagination::of(&found).with_query(&format!("state={state}"));
    // The address also says of which group or project each is.
    let rows = found.items.iter().map(|view| {
        let href = own_path(&frame.root, base_url, &view.web_url);
        let home = Shown::home_of(&href, &frame.root);
        Shown { href, home, ..Shown::new("", view) }
    });
    Answer::cacheable(&MilestonesPage { rows: rows.collect(), frame, top, state, pages })
}

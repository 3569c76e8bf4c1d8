//! The milestones of the caller's groups and projects.

use askama::Template;
use tenon_app::milestone;

use super::frame::DashboardFrame;
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::{Pagination, chosen};
use crate::parts::links::own_path;
use crate::parts::milestone::{MilestoneRow, wanted_state};

#[derive(Template)]
#[template(path = "dashboard/milestones.html")]
struct MilestonesPage {
    frame: Frame,
    top: DashboardFrame,
    state: &'static str,
    rows: Vec<MilestoneRow>,
    pages: Pagination,
}

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    let (state, active) = wanted_state(context.query("state"));
    let request = chosen(context.parameters());
    let read = context.read(move |query| {
        Ok((DashboardFrame::read(query, "milestones")?, milestone::list_of_caller(query, active, request)?))
    });
    let (frame, (top, found)) = read.await?;
    let base_url = context.app().base_url();
    let pages = Pagination::of(&found).with_query(&format!("state={state}"));
    // The address also shows the group or project of each.
    let rows = found.items.iter().map(|view| {
        let href = own_path(&frame.root, base_url, &view.web_url);
        let home = MilestoneRow::home_of(&href, &frame.root);
        MilestoneRow { href, home, ..MilestoneRow::new("", view) }
    });
    Answer::cacheable(&MilestonesPage { rows: rows.collect(), frame, top, state, pages })
}

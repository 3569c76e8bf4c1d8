//! The list of the merge requests into a project.

use tenon_app::Query;
use tenon_app::error::AppError;
use tenon_app::issuable::StateCounts;
use tenon_app::merge_request::{self, MergeRequestView};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::page::Page;

use crate::answer::Answer;
use crate::error::PageError;
use crate::issuable::filter::Filters;
use crate::issuable::list::{FilterForm, Offered, Row, offered, tabs};
use crate::issue::list::ListPage;
use crate::pagination::{Pagination, chosen};
use crate::project::frame::{ProjectFrame, Tab};
use crate::project::{Asked, Room};

/// What the list shows.
pub(super) struct Found {
    filters: Filters,
    page: Page<MergeRequestView>,
    counts: StateCounts,
    offered: Offered,
}

pub(super) fn read(query: &mut Query<'_>, asked: &Asked) -> Result<Found, AppError> {
    let filters = Filters::parse(&asked.query, IssuableKind::MergeRequest);
    let request = filters.request(chosen(&asked.query));
    Ok(Found {
        page: merge_request::of_project(query, &asked.project, &request)?,
        counts: merge_request::statistics_of_project(query, &asked.project, &request)?,
        offered: offered(query, &asked.project)?,
        filters,
    })
}

pub(super) async fn show(room: Room, found: Found) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::MergeRequests).with_twin("/merge_requests");
    let base_url = room.visit.app().base_url();
    let usual = room.page.view.brief.project.default_branch.clone().unwrap_or_default();
    let row = |view: &MergeRequestView| Row {
        target: Some(view.request.target_branch.clone()).filter(|branch| *branch != usual),
        ..Row::new(&room.frame, base_url, &project.href, &view.of, view.request.draft)
    };
    let rows = found.page.items.iter().map(row).collect();
    let pages = Pagination::of(&found.page).with_query(&found.filters.query());
    Answer::cacheable(&ListPage {
        title: "Merge requests",
        noun: "merge request",
        tabs: tabs(&found.filters, found.counts, IssuableKind::MergeRequest),
        new: room.page.may_push.then(|| format!("{}/merge_requests/new", project.href)),
        form: FilterForm::new(found.filters, &found.offered),
        rows,
        pages,
        project,
        frame: room.frame,
    })
}

//! The list of the issues of a project.

use askama::Template;
use tenon_app::Query;
use tenon_app::error::AppError;
use tenon_app::issuable::{IssuableView, StateCounts};
use tenon_app::issue;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::page::Page;

use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::issuable::filter::Filters;
use crate::issuable::list::{FilterForm, Offered, Row, StateTab, offered, tabs};
use crate::pagination::{Pagination, chosen};
use crate::project::frame::{ProjectFrame, Tab};
use crate::project::{Asked, Room};

#[derive(Template)]
#[template(path = "issuable/list.html")]
pub(crate) struct ListPage {
    pub(crate) frame: Frame,
    pub(crate) project: ProjectFrame,
    pub(crate) title: &'static str,
    /// What one is called.
    pub(crate) noun: &'static str,
    pub(crate) tabs: Vec<StateTab>,
    pub(crate) form: FilterForm,
    pub(crate) rows: Vec<Row>,
    pub(crate) pages: Pagination,
    /// Where a new one is made, if the caller may.
    pub(crate) new: Option<String>,
}

/// What the list shows.
pub(super) struct Found {
    filters: Filters,
    page: Page<IssuableView>,
    counts: StateCounts,
    offered: Offered,
}

pub(super) fn read(query: &mut Query<'_>, asked: &Asked) -> Result<Found, AppError> {
    let filters = Filters::parse(&asked.query, IssuableKind::Issue);
    let request = filters.request(chosen(&asked.query));
    Ok(Found {
        page: issue::of_project(query, &asked.project, &request)?,
        counts: issue::statistics_of_project(query, &asked.project, &request)?,
        offered: offered(query, &asked.project)?,
        filters,
    })
}

pub(super) async fn show(room: Room, found: Found) -> Result<Answer, PageError> {
    if !room.page.view.brief.project.features.issues_enabled {
        return Err(PageError::NotFound);
    }
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Issues).with_twin("/issues");
    let base_url = room.visit.app().base_url();
    let row = |view: &IssuableView| Row::new(&room.frame, base_url, &project.href, view, false);
    let rows = found.page.items.iter().map(row).collect();
    let pages = Pagination::of(&found.page).with_query(&found.filters.query());
    Answer::cacheable(&ListPage {
        title: "Issues",
        noun: "issue",
        tabs: tabs(&found.filters, found.counts, IssuableKind::Issue),
        new: room.page.may.open_issue.then(|| format!("{}/issues/new", project.href)),
        form: FilterForm::new(found.filters, &found.offered),
        rows,
        pages,
        project,
        frame: room.frame,
    })
}

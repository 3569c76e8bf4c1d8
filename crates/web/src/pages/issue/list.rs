//! The list of the issues of a project.

use tenon_app::error::AppError;
use tenon_app::issuable::{IssuableView, StateCounts};
use tenon_app::{Query, issue};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::page::Page;

use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::{Pagination, chosen};
use crate::parts::issuable::bulk::BulkForm;
use crate::parts::issuable::filter::Filters;
use crate::parts::issuable::list::{FilterForm, Offered, Row, offered, tabs};
use crate::parts::issuable::list_page::ListPage;

/// The data of the list.
pub(super) struct PageData {
    filters: Filters,
    page: Page<IssuableView>,
    counts: StateCounts,
    offered: Offered,
}

pub(super) fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<PageData, AppError> {
    let filters = Filters::parse(&asked.query, IssuableKind::Issue);
    let request = filters.request(chosen(&asked.query));
    Ok(PageData {
        page: issue::of_project(query, &asked.project, &request)?,
        counts: issue::statistics_of_project(query, &asked.project, &request)?,
        offered: offered(query, &asked.project)?,
        filters,
    })
}

pub(super) async fn show(context: ProjectContext, found: PageData) -> Result<Answer, PageError> {
    if !context.page.may.read_issues {
        return Err(PageError::NotFound);
    }
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Issues).with_api_path("/issues");
    let project = project.with_feed_query(context.feed_query().await?);
    let base_url = context.request.app().base_url();
    let row = |view: &IssuableView| Row::new(&context.frame, base_url, &project.href, view, false);
    let may_triage = context.page.may.manage_labels;
    let bulk = format!("/{}/issues/bulk_update", context.page.view.brief.full_path);
    let rows = found.page.items.iter().map(row).map(|row| row.with_tick(may_triage)).collect();
    let pages = Pagination::of(&found.page).with_query(&found.filters.query());
    Answer::cacheable(&ListPage {
        title: "Issues",
        noun: "issue",
        tabs: tabs(&found.filters, found.counts, IssuableKind::Issue),
        new: context.page.may.open_issue.then(|| format!("{}/issues/new", project.href)),
        bulk: may_triage.then(|| BulkForm::new(context.request.with_query(&bulk), &found.offered)),
        form: FilterForm::new(found.filters, Some(&found.offered)),
        rows,
        pushed: Vec::new(),
        pages,
        project,
        frame: context.frame,
    })
}

//! The list of the merge requests into a project.

use tenon_app::Query;
use tenon_app::dashboard::{self, PushedBranch};
use tenon_app::error::AppError;
use tenon_app::issuable::StateCounts;
use tenon_app::merge_request::{self, MergeRequestView};
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
use crate::parts::pushed::JustPushed;

/// The data of the list.
pub(super) struct PageData {
    filters: Filters,
    page: Page<MergeRequestView>,
    counts: StateCounts,
    offered: Offered,
    pushed: Vec<PushedBranch>,
}

pub(super) fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<PageData, AppError> {
    let filters = Filters::parse(&asked.query, IssuableKind::MergeRequest);
    let request = filters.request(chosen(&asked.query));
    Ok(PageData {
        page: merge_request::of_project(query, &asked.project, &request)?,
        counts: merge_request::statistics_of_project(query, &asked.project, &request)?,
        offered: offered(query, &asked.project)?,
        pushed: dashboard::just_pushed(query, &asked.project)?,
        filters,
    })
}

pub(super) async fn show(context: ProjectContext, found: PageData) -> Result<Answer, PageError> {
    let project =
        ProjectFrame::new(&context.frame.root, &context.page, Tab::MergeRequests).with_api_path("/merge_requests");
    let base_url = context.request.app().base_url();
    let usual = context.page.view.brief.project.default_branch.clone().unwrap_or_default();
    let row = |view: &MergeRequestView| Row {
        target: Some(view.request.target_branch.clone()).filter(|branch| *branch != usual),
        ..Row::new(&context.frame, base_url, &project.href, &view.of, view.request.draft)
    };
    // Developers, as for each of them.
    let may_triage = context.page.may_push;
    let bulk = format!("/{}/merge_requests/bulk_update", context.page.view.brief.full_path);
    let rows = found.page.items.iter().map(row).map(|row| row.with_tick(may_triage)).collect();
    let pages = Pagination::of(&found.page).with_query(&found.filters.query());
    Answer::cacheable(&ListPage {
        title: "Merge requests",
        noun: "merge request",
        tabs: tabs(&found.filters, found.counts, IssuableKind::MergeRequest),
        new: context.page.may_push.then(|| format!("{}/merge_requests/new", project.href)),
        bulk: may_triage.then(|| BulkForm::new(context.request.with_query(&bulk), &found.offered)),
        form: FilterForm::new(found.filters, Some(&found.offered)),
        rows,
        pages,
        pushed: JustPushed::all(context.request.app(), &context.frame.root, found.pushed).await?,
        project,
        frame: context.frame,
    })
}

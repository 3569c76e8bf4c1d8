//! Lists of issues (reference: issues-merge-requests-projects, section 3.2).

use tenon_app::error::AppError;
use tenon_app::issue::{self, IssueScope, IssueView, ListIssues};
use tenon_app::{Query, Reference};
use tenon_domain::page::Page;

use super::dto::IssueDto;
use super::filters::ListParams;
use super::project;
use crate::call::{Call, Caller};
use crate::error::ApiError;
use crate::reply::Paged;

/// Runs a list, where something is searched for in the lane for searches.
async fn run(
    caller: &Caller,
    request: ListIssues,
    list: impl FnOnce(&mut Query<'_>, &ListIssues) -> Result<Page<IssueView>, AppError> + Send + 'static,
) -> Result<Paged<IssueDto>, ApiError> {
    let page = if request.search.as_deref().is_some_and(|text| !text.trim().is_empty()) {
        caller.search(move |query| list(query, &request)).await?
    } else {
        caller.read(move |query| list(query, &request)).await?
    };
    Ok(present(page))
}

fn present(page: Page<IssueView>) -> Paged<IssueDto> {
    Paged(page.map(IssueDto::listed))
}

pub(super) async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<IssueDto>, ApiError> {
    run(&caller, params.into_request(IssueScope::CreatedByMe), issue::list).await
}

pub(super) async fn of_group(Call { caller, params }: Call<ListParams>) -> Result<Paged<IssueDto>, ApiError> {
    let group = Reference::parse(caller.path("id"));
    let request = params.into_request(IssueScope::All);
    run(&caller, request, move |query, request| issue::of_group(query, &group, request)).await
}

pub(super) async fn of_project(Call { caller, params }: Call<ListParams>) -> Result<Paged<IssueDto>, ApiError> {
    let project = project(&caller);
    let request = params.into_request(IssueScope::All);
    run(&caller, request, move |query, request| issue::of_project(query, &project, request)).await
}

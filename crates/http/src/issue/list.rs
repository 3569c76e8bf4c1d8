//! Lists of issues (reference: issues-merge-requests-projects, section 3.2).

use tenon_app::Reference;
use tenon_app::issue::{self, IssueScope, IssueView};
use tenon_domain::page::Page;

use super::dto::IssueDto;
use super::filters::ListParams;
use super::project;
use crate::call::Call;
use crate::error::ApiError;
use crate::reply::Paged;

fn present(page: Page<IssueView>) -> Paged<IssueDto> {
    Paged(page.map(IssueDto::listed))
}

pub(super) async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<IssueDto>, ApiError> {
    let request = params.into_request(IssueScope::CreatedByMe);
    Ok(present(caller.read(move |query| issue::list(query, &request)).await?))
}

pub(super) async fn of_group(Call { caller, params }: Call<ListParams>) -> Result<Paged<IssueDto>, ApiError> {
    let (group, request) = (Reference::parse(caller.path("id")), params.into_request(IssueScope::All));
    Ok(present(caller.read(move |query| issue::of_group(query, &group, &request)).await?))
}

pub(super) async fn of_project(Call { caller, params }: Call<ListParams>) -> Result<Paged<IssueDto>, ApiError> {
    let (project, request) = (project(&caller), params.into_request(IssueScope::All));
    Ok(present(caller.read(move |query| issue::of_project(query, &project, &request)).await?))
}

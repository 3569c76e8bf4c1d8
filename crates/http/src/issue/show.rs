//! One issue, its merge requests and its sender.

use tenon_app::issuable::Detail;
use tenon_app::{issue, merge_request};
use tenon_edge::error::ApiError;

use super::{IssueParams, PagedIssueParams, project};
use crate::dto::issue::{IssueDto, SenderDto};
use crate::dto::merge_request::ListedDto;
use crate::endpoint::{Call, Json, Paged};
use crate::params::params;

params! {
    /// An issue of the project.
    pub(crate) struct ShowParams {
        issue: IssueParams,
        /// Labels with their colours instead of their names alone.
        with_labels_details: Option<bool>,
    }
}

pub(super) async fn show(Call { caller, params }: Call<ShowParams>) -> Result<Json<IssueDto>, ApiError> {
    let (project, iid) = (project(&caller), params.issue.iid());
    let detail = Detail { labels: params.with_labels_details == Some(true), subscribed: true };
    let view = caller.read(move |query| issue::show_with(query, &project, iid, detail)).await?;
    Ok(Json(IssueDto::single(view)))
}

pub(super) async fn closed_by(Call { caller, params }: Call<PagedIssueParams>) -> Result<Paged<ListedDto>, ApiError> {
    let (project, iid, page) = (project(&caller), params.issue.iid(), params.paging.into());
    let page = caller.read(move |query| merge_request::closed_by(query, &project, iid, page)).await?;
    Ok(Paged(page.map(ListedDto::full)))
}

pub(super) async fn related_merge_requests(
    Call { caller, params }: Call<PagedIssueParams>,
) -> Result<Paged<ListedDto>, ApiError> {
    let (project, iid, page) = (project(&caller), params.issue.iid(), params.paging.into());
    let page = caller.read(move |query| merge_request::related(query, &project, iid, page)).await?;
    Ok(Paged(page.map(ListedDto::full)))
}

pub(super) async fn sender(Call { caller, params }: Call<IssueParams>) -> Result<Json<SenderDto>, ApiError> {
    let project = project(&caller);
    let sender = caller.read(move |query| issue::sender(query, &project, params.iid())).await?;
    Ok(Json(sender.into()))
}

//! One issue, and who has to do with it (reference: issues-merge-requests-projects, sections 3.4 and 3.10 to 3.12).

use serde::Serialize;
use tenon_app::issuable::Sender;
use tenon_app::{issue, merge_request};
use utoipa::ToSchema;

use super::dto::IssueDto;
use super::{IssueParams, PagedIssueParams, project};
use crate::call::Call;
use crate::error::ApiError;
use crate::merge_request::{ListedDto, listed};
use crate::reply::{Json, Paged};

/// From where something was sent.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SenderDto {
    user_agent: Option<String>,
    ip_address: Option<String>,
    /// Nothing is sent to a spam filter.
    spamfilter_submitted: bool,
    /// The same under the name that newer clients read.
    akismet_submitted: bool,
}

impl From<Sender> for SenderDto {
    fn from(sender: Sender) -> Self {
        Self {
            user_agent: sender.user_agent,
            ip_address: sender.ip_address,
            spamfilter_submitted: false,
            akismet_submitted: false,
        }
    }
}

pub(super) async fn show(Call { caller, params }: Call<IssueParams>) -> Result<Json<IssueDto>, ApiError> {
    let project = project(&caller);
    let view = caller.read(move |query| issue::show(query, &project, params.iid())).await?;
    Ok(Json(IssueDto::single(view)))
}

pub(super) async fn closed_by(Call { caller, params }: Call<PagedIssueParams>) -> Result<Paged<ListedDto>, ApiError> {
    let (project, iid, page) = (project(&caller), params.issue.iid(), params.paging.into());
    Ok(listed(caller.read(move |query| merge_request::closed_by(query, &project, iid, page)).await?))
}

pub(super) async fn related_merge_requests(
    Call { caller, params }: Call<PagedIssueParams>,
) -> Result<Paged<ListedDto>, ApiError> {
    let (project, iid, page) = (project(&caller), params.issue.iid(), params.paging.into());
    Ok(listed(caller.read(move |query| merge_request::related(query, &project, iid, page)).await?))
}

pub(super) async fn sender(Call { caller, params }: Call<IssueParams>) -> Result<Json<SenderDto>, ApiError> {
    let project = project(&caller);
    let sender = caller.read(move |query| issue::sender(query, &project, params.iid())).await?;
    Ok(Json(sender.into()))
}

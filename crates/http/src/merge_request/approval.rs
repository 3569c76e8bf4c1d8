//! Approvals, for clients that read them: none are required, and none can be given.

use tenon_app::merge_request::{self, ShowMergeRequest};
use tenon_edge::error::ApiError;

use crate::dto::approval::{ApprovalStateDto, ApprovalsDto};
use crate::endpoint::{Call, Json};
use crate::issuable::reference;

pub(super) async fn approvals(caller: Call<()>) -> Result<Json<ApprovalsDto>, ApiError> {
    let of = reference(&caller)?;
    let view = merge_request::show(caller.app(), caller.identity(), of, ShowMergeRequest::default()).await?;
    let of = view.of.issuable;
    Ok(Json(ApprovalsDto {
        id: of.id.get(),
        iid: of.iid.get(),
        project_id: of.project.get(),
        title: of.title,
        state: of.state.as_str(),
        approvals_required: 0,
        approvals_left: 0,
        approved: true,
        approved_by: Vec::new(),
        user_has_approved: false,
        user_can_approve: false,
    }))
}

pub(super) async fn state(caller: Call<()>) -> Result<Json<ApprovalStateDto>, ApiError> {
    let of = reference(&caller)?;
    merge_request::show(caller.app(), caller.identity(), of, ShowMergeRequest::default()).await?;
    Ok(Json(ApprovalStateDto { approval_rules_overwritten: false, rules: Vec::new() }))
}

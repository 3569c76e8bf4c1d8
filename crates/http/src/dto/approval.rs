//! Approvals of a merge request as JSON.

use serde::Serialize;
use utoipa::ToSchema;

use super::user::UserRefDto;

/// The approvals of a merge request.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ApprovalsDto {
    pub(crate) id: i64,
    pub(crate) iid: i64,
    pub(crate) project_id: i64,
    pub(crate) title: String,
    pub(crate) state: &'static str,
    pub(crate) approvals_required: i64,
    pub(crate) approvals_left: i64,
    pub(crate) approved: bool,
    pub(crate) approved_by: Vec<UserRefDto>,
    pub(crate) user_has_approved: bool,
    pub(crate) user_can_approve: bool,
}

/// The rules of approval.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ApprovalStateDto {
    pub(crate) approval_rules_overwritten: bool,
    pub(crate) rules: Vec<UserRefDto>,
}

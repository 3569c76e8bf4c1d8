//! Invitations as JSON.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use tenon_app::member::InvitationView;
use utoipa::ToSchema;

/// An invitation that waits for an answer.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct InvitationDto {
    id: i64,
    invite_email: String,
    /// 10 guest, 20 reporter, 30 developer, 40 maintainer, 50 owner.
    access_level: i64,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    /// The day on which the membership expires.
    expires_at: Option<NaiveDate>,
    /// The name of who invites.
    created_by_name: Option<String>,
}

impl From<InvitationView> for InvitationDto {
    fn from(view: InvitationView) -> Self {
        Self {
            id: view.invitation.id.get(),
            invite_email: view.invitation.address,
            access_level: view.invitation.level.value(),
            created_at: view.invitation.created_at,
            expires_at: view.invitation.expires_at,
            created_by_name: view.inviter.map(|inviter| inviter.name),
        }
    }
}

/// The outcome of a request to invite.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct InvitedDto {
    /// `success`, or `error` if one of them was refused. All others are invited.
    status: &'static str,
    /// Why some were refused, by the address, username or id.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<BTreeMap<String, String>>,
}

impl From<BTreeMap<String, String>> for InvitedDto {
    fn from(refused: BTreeMap<String, String>) -> Self {
        let status = if refused.is_empty() { "success" } else { "error" };
        Self { status, message: Some(refused).filter(|refused| !refused.is_empty()) }
    }
}

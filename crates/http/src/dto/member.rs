//! Members as JSON.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use tenon_app::member::{AccessRequestView, MemberView};
use utoipa::ToSchema;

use super::user::UserRefDto;

/// A member.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MemberDto {
    #[serde(flatten)]
    user: UserRefDto,
    /// 10 guest, 20 reporter, 30 developer, 40 maintainer, 50 owner.
    access_level: i64,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    /// The day on which the membership expires.
    expires_at: Option<NaiveDate>,
    /// Always `active`: open invitations are a list of their own.
    membership_state: &'static str,
    #[serde(flatten)]
    private: Option<MemberPrivateDto>,
}

/// The fields for administrators.
#[derive(Debug, Serialize, ToSchema)]
struct MemberPrivateDto {
    email: String,
    /// Who has made the membership.
    created_by: Option<UserRefDto>,
}

impl From<MemberView> for MemberDto {
    fn from(view: MemberView) -> Self {
        Self {
            user: view.user.into(),
            access_level: view.member.level.value(),
            created_at: view.member.created_at,
            expires_at: view.member.expires_at,
            membership_state: "active",
            private: view.private.map(|private| MemberPrivateDto {
                email: private.email,
                created_by: private.created_by.map(Into::into),
            }),
        }
    }
}

/// A request for access, with who asks.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AccessRequestDto {
    #[serde(flatten)]
    user: UserRefDto,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    requested_at: DateTime<Utc>,
}

impl From<AccessRequestView> for AccessRequestDto {
    fn from(view: AccessRequestView) -> Self {
        Self { user: view.user.into(), requested_at: view.requested_at }
    }
}

/// One new member, or a confirmation for several.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum AddedDto {
    /// One.
    One(Box<MemberDto>),
    /// Several.
    Several(SeveralDto),
}

impl From<Vec<MemberView>> for AddedDto {
    fn from(mut added: Vec<MemberView>) -> Self {
        match (added.pop(), added.is_empty()) {
            (Some(only), true) => Self::One(Box::new(only.into())),
            (Some(_) | None, _) => Self::Several(SeveralDto { status: "success" }),
        }
    }
}

/// Confirmation that several members were added.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SeveralDto {
    /// Always `success`: if one of them cannot be added, none is, and the response is that failure.
    status: &'static str,
}

//! Members as JSON.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use tenon_app::member::MemberView;
use utoipa::ToSchema;

use super::user::UserRefDto;

/// A user who belongs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MemberDto {
    #[serde(flatten)]
    user: UserRefDto,
    /// 10 guest, 20 reporter, 30 developer, 40 maintainer, 50 owner.
    access_level: i64,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    /// From this day on the membership has ended.
    expires_at: Option<NaiveDate>,
    /// Always `active`: nobody waits for an answer to an invitation.
    membership_state: &'static str,
}

impl From<MemberView> for MemberDto {
    fn from(view: MemberView) -> Self {
        Self {
            user: view.user.into(),
            access_level: view.member.level.value(),
            created_at: view.member.created_at,
            expires_at: view.member.expires_at,
            membership_state: "active",
        }
    }
}

/// One new member, or that several were added.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum AddedDto {
    /// The only one.
    One(Box<MemberDto>),
    /// All of several.
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

/// That several members were added.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SeveralDto {
    /// Always `success`: where one of them fails, none is added, and the answer is that failure.
    status: &'static str,
}

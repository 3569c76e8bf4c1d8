//! Members as JSON.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use tenon_app::member::MemberView;
use utoipa::ToSchema;

use crate::user::UserRefDto;

/// A user who belongs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MemberDto {
    #[serde(flatten)]
    user: UserRefDto,
    /// 10 guest, 20 reporter, 30 developer, 40 maintainer, 50 owner.
    access_level: i64,
    #[serde(serialize_with = "crate::json_time::moment")]
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

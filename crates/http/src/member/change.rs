//! Changing and ending memberships.

use chrono::NaiveDate;
use tenon_app::member::{self, EditMember};
use tenon_domain::id::UserId;
use tenon_domain::patch::Patch;
use tenon_edge::error::ApiError;

use super::{MemberParams, Subject};
use crate::dto::member::MemberDto;
use crate::endpoint::{Call, Json, NoContent};
use crate::params::level::LevelNumber;
use crate::params::params;

params! {
    /// Changes to a membership.
    pub(crate) struct EditParams {
        /// The user.
        user_id: i64,
        /// 10 guest, 20 reporter, 30 developer, 40 maintainer, 50 owner.
        access_level: LevelNumber,
        /// The day on which the membership expires; empty for never.
        expires_at: Patch<NaiveDate>,
    }
}

pub(super) async fn edit(Call { caller, params }: Call<EditParams>, of: Subject) -> Result<Json<MemberDto>, ApiError> {
    let (of, user) = (of(&caller), UserId::new(params.user_id));
    let request = EditMember { level: params.access_level.0, expires_at: params.expires_at };
    let view = caller.write(move |command| member::edit(command, &of, user, request)).await?;
    Ok(Json(view.into()))
}

pub(super) async fn remove(Call { caller, params }: Call<MemberParams>, of: Subject) -> Result<NoContent, ApiError> {
    let (of, user, since) = (of(&caller), UserId::new(params.user_id), caller.head().unmodified_since);
    caller.write(move |command| member::remove(command, &of, user, since)).await?;
    Ok(NoContent)
}

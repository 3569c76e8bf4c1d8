//! Invitations by mail.

use chrono::NaiveDate;
use tenon_app::member::{self, EditInvitation, Invite};
use tenon_domain::id::UserId;
use tenon_domain::patch::Patch;
use tenon_edge::error::ApiError;

use super::Subject;
use crate::dto::invitation::{InvitationDto, InvitedDto};
use crate::endpoint::{Call, Created, Json, NoContent, Paged};
use crate::params::level::LevelNumber;
use crate::params::{Paging, params};

params! {
    /// The people to invite.
    pub(crate) struct InviteParams {
        /// The address; several as a list or separated by commas.
        email: Option<Vec<String>>,
        /// The id of a user, who becomes a member at once; several as a list or separated by commas.
        user_id: Option<Vec<i64>>,
        /// 10 guest, 20 reporter, 30 developer, 40 maintainer, 50 owner.
        access_level: LevelNumber,
        /// The day on which the membership expires.
        expires_at: Option<NaiveDate>,
    }
}

params! {
    /// Filters of invitations.
    pub(crate) struct InvitationListParams {
        /// Part of the address.
        query: Option<String>,
        paging: Paging,
    }
}

params! {
    /// Changes to an invitation.
    pub(crate) struct EditInvitationParams {
        /// 10 guest, 20 reporter, 30 developer, 40 maintainer, 50 owner.
        access_level: Option<LevelNumber>,
        /// The day on which the membership expires; empty for never.
        expires_at: Patch<NaiveDate>,
    }
}

pub(super) async fn invite(
    Call { caller, params }: Call<InviteParams>,
    of: Subject,
) -> Result<Created<InvitedDto>, ApiError> {
    let of = of(&caller);
    let request = Invite {
        addresses: params.email.unwrap_or_default(),
        users: params.user_id.unwrap_or_default().into_iter().map(UserId::new).collect(),
        level: params.access_level.0,
        expires_at: params.expires_at,
    };
    let refused = caller.write(move |command| member::invite(command, &of, request)).await?;
    Ok(Created(refused.into()))
}

pub(super) async fn list(
    Call { caller, params }: Call<InvitationListParams>,
    of: Subject,
) -> Result<Paged<InvitationDto>, ApiError> {
    let of = of(&caller);
    let page = caller.read(move |query| member::invitations(query, &of, params.query.as_deref(), params.paging.into()));
    Ok(Paged(page.await?.map(Into::into)))
}

pub(super) async fn edit(
    Call { caller, params }: Call<EditInvitationParams>,
    of: Subject,
) -> Result<Json<InvitationDto>, ApiError> {
    let (of, address) = (of(&caller), caller.path("email").to_owned());
    let level = match params.access_level {
        None => Patch::Absent,
        Some(LevelNumber(level)) => level.map_or(Patch::Clear, Patch::Set),
    };
    let request = EditInvitation { level, expires_at: params.expires_at };
    let view = caller.write(move |command| member::edit_invitation(command, &of, &address, request)).await?;
    Ok(Json(view.into()))
}

pub(super) async fn remove(Call { caller, .. }: Call<()>, of: Subject) -> Result<NoContent, ApiError> {
    let (of, address, since) = (of(&caller), caller.path("email").to_owned(), caller.head().unmodified_since);
    caller.write(move |command| member::remove_invitation(command, &of, &address, since)).await?;
    Ok(NoContent)
}

//! Requests for access.

use tenon_app::member;
use tenon_domain::access::AccessLevel;
use tenon_domain::id::UserId;
use tenon_edge::error::ApiError;

use super::{MemberParams, Subject};
use crate::dto::member::{AccessRequestDto, MemberDto};
use crate::endpoint::{Call, Created, NoContent, Paged};
use crate::params::level::LevelNumber;
use crate::params::{Paging, params};

params! {
    /// A list of requests.
    pub(crate) struct AccessRequestListParams {
        paging: Paging,
    }
}

params! {
    /// The request to approve.
    pub(crate) struct ApproveParams {
        /// The user who has asked.
        user_id: i64,
        /// 10 guest, 20 reporter, 30 developer (the default), 40 maintainer, 50 owner (of groups).
        access_level: Option<LevelNumber>,
    }
}

pub(super) async fn list(
    Call { caller, params }: Call<AccessRequestListParams>,
    of: Subject,
) -> Result<Paged<AccessRequestDto>, ApiError> {
    let of = of(&caller);
    let page = caller.read(move |query| member::access_requests(query, &of, params.paging.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

pub(super) async fn request(Call { caller, .. }: Call<()>, of: Subject) -> Result<Created<AccessRequestDto>, ApiError> {
    let of = of(&caller);
    let view = caller.write(move |command| member::request_access(command, &of)).await?;
    Ok(Created(view.into()))
}

pub(super) async fn approve(
    Call { caller, params }: Call<ApproveParams>,
    of: Subject,
) -> Result<Created<MemberDto>, ApiError> {
    let (of, user) = (of(&caller), UserId::new(params.user_id));
    let level = params.access_level.map_or(Some(AccessLevel::Developer), |LevelNumber(level)| level);
    let view = caller.write(move |command| member::approve(command, &of, user, level)).await?;
    Ok(Created(view.into()))
}

pub(super) async fn deny(Call { caller, params }: Call<MemberParams>, of: Subject) -> Result<NoContent, ApiError> {
    let (of, user, since) = (of(&caller), UserId::new(params.user_id), caller.head().unmodified_since);
    caller.write(move |command| member::deny(command, &of, user, since)).await?;
    Ok(NoContent)
}

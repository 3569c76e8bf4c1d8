//! Lists of members.

use tenon_app::member::{self, ListMembers};
use tenon_domain::id::UserId;
use tenon_edge::error::ApiError;

use super::{MemberParams, Subject};
use crate::dto::member::MemberDto;
use crate::endpoint::{Call, Json, Paged};
use crate::params::{Paging, params};

params! {
    /// Filters of members.
    pub(crate) struct ListParams {
        /// Part of the name or user name.
        query: Option<String>,
        /// Only these users.
        user_ids: Option<Vec<i64>>,
        /// Users to leave out.
        skip_users: Option<Vec<i64>>,
        paging: Paging,
    }
}

impl From<ListParams> for ListMembers {
    fn from(params: ListParams) -> Self {
        Self {
            query: params.query,
            user_ids: params.user_ids.unwrap_or_default(),
            skip_users: params.skip_users.unwrap_or_default(),
            page: params.paging.into(),
        }
    }
}

pub(super) async fn direct(
    Call { caller, params }: Call<ListParams>,
    of: Subject,
) -> Result<Paged<MemberDto>, ApiError> {
    let of = of(&caller);
    let page = caller.read(move |query| member::list(query, &of, &params.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

pub(super) async fn all(Call { caller, params }: Call<ListParams>, of: Subject) -> Result<Paged<MemberDto>, ApiError> {
    let of = of(&caller);
    let page = caller.read(move |query| member::effective(query, &of, &params.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

pub(super) async fn one(Call { caller, params }: Call<MemberParams>, of: Subject) -> Result<Json<MemberDto>, ApiError> {
    let (of, user) = (of(&caller), UserId::new(params.user_id));
    let view = caller.read(move |query| member::show(query, &of, user)).await?;
    Ok(Json(view.into()))
}

pub(super) async fn one_of_all(
    Call { caller, params }: Call<MemberParams>,
    of: Subject,
) -> Result<Json<MemberDto>, ApiError> {
    let (of, user) = (of(&caller), UserId::new(params.user_id));
    let view = caller.read(move |query| member::effective_one(query, &of, user)).await?;
    Ok(Json(view.into()))
}

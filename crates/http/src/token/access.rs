//! Access tokens of projects and groups.

use chrono::{DateTime, NaiveDate, Utc};
use tenon_app::access_token::{self, CreateAccessToken};
use tenon_app::token::ListTokens;
use tenon_app::{ContainerReference, Reference};
use tenon_domain::access::AccessLevel;
use tenon_domain::id::TokenId;
use tenon_domain::token::Scope;
use tenon_edge::error::ApiError;

use super::Activity;
use super::personal::{Order, order_of};
use crate::dto::token::AccessTokenDto;
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged};
use crate::params::level::LevelNumber;
use crate::params::{Paging, params};

/// The project or group of the tokens.
pub(super) type Subject = fn(&Caller) -> ContainerReference;

pub(super) fn of_project(caller: &Caller) -> ContainerReference {
    ContainerReference::Project(Reference::parse(caller.path("id")))
}

pub(super) fn of_group(caller: &Caller) -> ContainerReference {
    ContainerReference::Group(Reference::parse(caller.path("id")))
}

params! {
    /// Filters of the access tokens of a project or group.
    pub(crate) struct ListParams {
        /// True for revoked tokens only, false for tokens that are not revoked.
        revoked: Option<bool>,
        /// The state: valid, or revoked or expired.
        state: Option<Activity>,
        /// Created before this.
        created_before: Option<DateTime<Utc>>,
        /// Created after this.
        created_after: Option<DateTime<Utc>>,
        /// Last used before this.
        last_used_before: Option<DateTime<Utc>>,
        /// Last used after this.
        last_used_after: Option<DateTime<Utc>>,
        /// Expires before this day.
        expires_before: Option<NaiveDate>,
        /// Expires after this day.
        expires_after: Option<NaiveDate>,
        /// Part of the name.
        search: Option<String>,
        /// Sort key; the id by default.
        sort: Option<Order>,
        paging: Paging,
    }
}

params! {
    /// A new access token of a project or group.
    pub(crate) struct CreateParams {
        /// The name.
        name: String,
        /// The description.
        description: Option<String>,
        /// The scopes, of which `sudo`, `admin_mode` and those about a person are none.
        scopes: Vec<Scope>,
        /// The level of its account: 10 to 40, of a group also 50; 40 by default. Not above the caller's own.
        access_level: Option<LevelNumber>,
        /// The day on which it expires.
        expires_at: Option<NaiveDate>,
    }
}

params! {
    /// The options of a rotation.
    pub(crate) struct RotateParams {
        /// The day on which the new token expires; in a week by default.
        expires_at: Option<NaiveDate>,
    }
}

impl From<ListParams> for ListTokens {
    fn from(params: ListParams) -> Self {
        let (order_by, descending) = order_of(params.sort);
        Self {
            user: None,
            active: params.state.map(|state| state == Activity::Active),
            revoked: params.revoked,
            created_after: params.created_after,
            created_before: params.created_before,
            last_used_after: params.last_used_after,
            last_used_before: params.last_used_before,
            expires_after: params.expires_after,
            expires_before: params.expires_before,
            search: params.search.filter(|text| !text.is_empty()),
            order_by,
            descending,
            page: params.paging.into(),
        }
    }
}

fn token_id(caller: &Caller) -> Result<TokenId, ApiError> {
    caller.path_i64("token_id").map(TokenId::new)
}

pub(super) async fn list(
    Call { caller, params }: Call<ListParams>,
    of: Subject,
) -> Result<Paged<AccessTokenDto>, ApiError> {
    let of = of(&caller);
    let page = caller.read(move |query| access_token::list(query, &of, params.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

pub(super) async fn show(call: Call<()>, of: Subject) -> Result<Json<AccessTokenDto>, ApiError> {
    let (of, id) = (of(&call), token_id(&call)?);
    let found = call.read(move |query| access_token::show(query, &of, id)).await?;
    Ok(Json(found.into()))
}

pub(super) async fn create(
    Call { caller, params }: Call<CreateParams>,
    of: Subject,
) -> Result<Created<AccessTokenDto>, ApiError> {
    let of = of(&caller);
    let CreateParams { name, description, scopes, access_level, expires_at } = params;
    let level = access_level.map_or(Some(AccessLevel::Maintainer), |LevelNumber(level)| level);
    let request = CreateAccessToken { name, description, scopes, level, expires_at };
    let made = caller.write(move |command| access_token::create(command, &of, request)).await?;
    Ok(Created(made.into()))
}

pub(super) async fn rotate(
    Call { caller, params }: Call<RotateParams>,
    of: Subject,
) -> Result<Json<AccessTokenDto>, ApiError> {
    let (of, id) = (of(&caller), token_id(&caller)?);
    let made = caller.write(move |command| access_token::rotate(command, &of, id, params.expires_at)).await?;
    let made = made.ok_or_else(ApiError::unauthorized)?;
    Ok(Json(made.into()))
}

pub(super) async fn rotate_self(
    Call { caller, params }: Call<RotateParams>,
    of: Subject,
) -> Result<Json<AccessTokenDto>, ApiError> {
    let of = of(&caller);
    let made = caller.write(move |command| access_token::rotate_self(command, &of, params.expires_at)).await?;
    let made = made.ok_or_else(ApiError::unauthorized)?;
    Ok(Json(made.into()))
}

pub(super) async fn revoke(call: Call<()>, of: Subject) -> Result<NoContent, ApiError> {
    let (of, id, since) = (of(&call), token_id(&call)?, call.head().unmodified_since);
    call.write(move |command| access_token::revoke(command, &of, id, since)).await?;
    Ok(NoContent)
}

//! Access tokens of projects and groups.

use chrono::NaiveDate;
use tenon_app::access_token::{self, CreateAccessToken};
use tenon_app::{ContainerReference, Reference};
use tenon_domain::access::AccessLevel;
use tenon_domain::id::TokenId;
use tenon_domain::token::Scope;
use tenon_edge::error::ApiError;

use super::personal::{RotateParams, TokenFilters};
use crate::dto::token::AccessTokenDto;
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged};
use crate::params::level::LevelNumber;
use crate::params::params;

/// The project or group of the tokens.
pub(super) type Subject = fn(&Caller) -> ContainerReference;

pub(super) fn of_project(caller: &Caller) -> ContainerReference {
    ContainerReference::Project(Reference::parse(caller.path("id")))
}

pub(super) fn of_group(caller: &Caller) -> ContainerReference {
    ContainerReference::Group(Reference::parse(caller.path("id")))
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

fn token_id(caller: &Caller) -> Result<TokenId, ApiError> {
    caller.path_i64("token_id").map(TokenId::new)
}

pub(super) async fn list(
    Call { caller, params }: Call<TokenFilters>,
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

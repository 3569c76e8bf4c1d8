//! One user.

use tenon_app::{Reference, user};
use tenon_domain::id::UserId;
use tenon_edge::error::ApiError;

use crate::dto::user::{UserDto, UserExistenceDto};
use crate::endpoint::{Call, Json};
use crate::params::params;

params! {
    /// Optional fields of a user.
    pub(crate) struct ShowParams {
        /// With custom attributes; administrators only.
        with_custom_attributes: Option<bool>,
    }
}

pub(super) async fn current(call: Call<()>) -> Result<Json<UserDto>, ApiError> {
    let view = call.read(user::current).await?;
    Ok(Json(UserDto::own(view)))
}

/// The name is never read as an id, because a name may consist of digits.
pub(super) async fn exists(call: Call<()>) -> Result<Json<UserExistenceDto>, ApiError> {
    let name = Reference::Path(call.path("username").to_owned());
    Ok(Json(UserExistenceDto { exists: call.read(move |query| user::exists(query, &name)).await? }))
}

pub(super) async fn show(Call { caller, params }: Call<ShowParams>) -> Result<Json<UserDto>, ApiError> {
    let id = UserId::new(caller.path_i64("id")?);
    let attributes = params.with_custom_attributes.unwrap_or(false);
    let view = caller.read(move |query| user::show(query, id, attributes)).await?;
    Ok(Json(UserDto::single(view)))
}

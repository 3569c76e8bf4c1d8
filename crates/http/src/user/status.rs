//! The status of users.

use tenon_app::{Reference, user};
use tenon_edge::error::ApiError;

use crate::dto::user_status::StatusDto;
use crate::endpoint::{Call, Json};
use crate::params::params;

params! {
    /// A status.
    pub(crate) struct StatusParams {
        /// The name of an emoji, without colons.
        emoji: Option<String>,
        /// A short text, with names of emoji between colons.
        message: Option<String>,
    }
}

pub(super) async fn own(call: Call<()>) -> Result<Json<StatusDto>, ApiError> {
    let status = call.read(user::own_status).await?;
    Ok(Json(StatusDto::new(call.app(), status)))
}

pub(super) async fn of_user(call: Call<()>) -> Result<Json<StatusDto>, ApiError> {
    let reference = Reference::parse(call.path("id_or_username"));
    let status = call.read(move |query| user::status(query, &reference)).await?;
    Ok(Json(StatusDto::new(call.app(), status)))
}

pub(super) async fn set(Call { caller, params }: Call<StatusParams>) -> Result<Json<StatusDto>, ApiError> {
    let (emoji, message) = (params.emoji.unwrap_or_default(), params.message.unwrap_or_default());
    let status = caller.write(move |command| user::set_status(command, &emoji, &message)).await?;
    Ok(Json(StatusDto::new(caller.app(), status)))
}

pub(super) async fn change(Call { caller, params }: Call<StatusParams>) -> Result<Json<StatusDto>, ApiError> {
    let status = caller.write(move |command| user::change_status(command, params.emoji, params.message)).await?;
    Ok(Json(StatusDto::new(caller.app(), status)))
}

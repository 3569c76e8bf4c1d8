//! Removing users, and the names of removed users elsewhere.

use tenon_app::user;
use tenon_domain::id::UserId;
use tenon_edge::error::ApiError;

use crate::endpoint::{Call, NoContent};
use crate::params::params;

params! {
    /// The options of a removal.
    pub(crate) struct DeleteParams {
        /// If true, also removes the user's contributions, and the groups that have no other owner.
        hard_delete: Option<bool>,
    }
}

pub(super) async fn delete(Call { caller, params }: Call<DeleteParams>) -> Result<NoContent, ApiError> {
    let (id, since) = (UserId::new(caller.path_i64("id")?), caller.head().unmodified_since);
    let hard = params.hard_delete.unwrap_or(false);
    caller.write(move |command| user::delete(command, id, hard, since)).await?;
    Ok(NoContent)
}

pub(super) async fn identity(call: Call<()>) -> Result<NoContent, ApiError> {
    let (id, provider) = (UserId::new(call.path_i64("id")?), call.path("provider").to_owned());
    call.write(move |command| user::remove_identity(command, id, &provider)).await?;
    Ok(NoContent)
}

//! Removing users.

use tenon_app::user;
use tenon_domain::id::UserId;

use crate::endpoint::{Call, NoContent};
use crate::params::params;
use crate::wire::error::ApiError;

params! {
    /// How thoroughly a user is removed.
    pub(crate) struct DeleteParams {
        /// Also removes what the user wrote, and the groups that nobody else owns.
        hard_delete: Option<bool>,
    }
}

pub(super) async fn delete(Call { caller, params }: Call<DeleteParams>) -> Result<NoContent, ApiError> {
    let (id, since) = (UserId::new(caller.path_i64("id")?), caller.head().unmodified_since);
    let hard = params.hard_delete.unwrap_or(false);
    caller.write(move |command| user::delete(command, id, hard, since)).await?;
    Ok(NoContent)
}

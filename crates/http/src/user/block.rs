//! Blocking and unblocking users. Clients compare these bodies.

use tenon_app::user;
use tenon_domain::id::UserId;
use tenon_domain::transition::Transition;
use tenon_edge::error::ApiError;

use crate::dto::user::BlockedDto;
use crate::endpoint::{Call, Created};

pub(super) async fn block(call: Call<()>) -> Result<Created<BlockedDto>, ApiError> {
    let id = UserId::new(call.path_i64("id")?);
    let outcome = call.write(move |command| user::block(command, id)).await?;
    Ok(Created(BlockedDto(match outcome {
        Transition::Moved(_) => Some(true),
        Transition::Stayed(_) => None,
    })))
}

/// `true`, or `false` if the user was not blocked.
pub(super) async fn unblock(call: Call<()>) -> Result<Created<bool>, ApiError> {
    let id = UserId::new(call.path_i64("id")?);
    let outcome = call.write(move |command| user::unblock(command, id)).await?;
    Ok(Created(matches!(outcome, Transition::Moved(_))))
}

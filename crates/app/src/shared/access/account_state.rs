//! Storing what has become of an account.

use tenon_domain::event::EventKind;
use tenon_domain::id::UserId;
use tenon_domain::transition::Transition;
use tenon_domain::user::UserState;
use tenon_storage::user;

use crate::core::app::Command;
use crate::core::error::AppError;

/// Stores a state that has changed, with its event; a state that has not changed leaves nothing.
pub(crate) fn save(
    command: &mut Command<'_>,
    id: UserId,
    outcome: Transition<UserState>,
    kind: EventKind,
) -> Result<Transition<UserState>, AppError> {
    if let Transition::Moved(state) = outcome {
        let now = command.now;
        user::set_state(&mut command.tx, id, state, now)?;
        let event = command.event(kind).user(id);
        command.append(&event)?;
    }
    Ok(outcome)
}

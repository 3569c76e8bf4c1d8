//! Shutting accounts out and letting them in again.

use tenon_domain::event::EventKind;
use tenon_domain::id::UserId;
use tenon_domain::transition::Transition;
use tenon_domain::user::{UserAction, UserEvent, UserState};
use tenon_storage::{session, user};

use super::edit::keep_an_administrator;
use crate::core::app::Command;
use crate::core::error::AppError;

/// Blocks an account and ends its sessions; administrators only.
pub fn block(command: &mut Command<'_>, id: UserId) -> Result<Transition<UserState>, AppError> {
    let found = command.query().account(id, UserAction::Administer)?;
    if command.viewer().user() == Some(id) {
        let reason = "The API initiating user cannot be blocked by the API";
        return Err(AppError::ForbiddenBecause(reason.to_owned()));
    }
    if found.ghost {
        return Err(AppError::ForbiddenBecause("An internal user cannot be blocked".to_owned()));
    }
    let outcome = found.state.apply(UserEvent::Block);
    if let Transition::Moved(_) = outcome {
        keep_an_administrator(command, &found, false)?;
        session::delete_of_user(&mut command.tx, id)?;
    }
    store(command, id, outcome, EventKind::UserBlocked)
}

/// Lets an account in again; administrators only.
pub fn unblock(command: &mut Command<'_>, id: UserId) -> Result<Transition<UserState>, AppError> {
    let found = command.query().account(id, UserAction::Administer)?;
    let outcome = found.state.apply(UserEvent::Unblock);
    store(command, id, outcome, EventKind::UserUnblocked)
}

fn store(
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

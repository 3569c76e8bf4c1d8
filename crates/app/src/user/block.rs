//! Shutting accounts out and letting them in again.

use tenon_domain::event::EventKind;
use tenon_domain::id::UserId;
use tenon_domain::refusal::UserRefusal;
use tenon_domain::transition::Transition;
use tenon_domain::user::{StateRefusal, User, UserAction, UserEvent, UserState};
use tenon_storage::session;

use super::delete::delete;
use super::edit::keep_an_administrator;
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::shared::access::account_state::save;

/// Blocks an account and ends its sessions; administrators only.
pub fn block(command: &mut Command<'_>, id: UserId) -> Result<Transition<UserState>, AppError> {
    let found = command.query().account(id, UserAction::Administer)?;
    check_other(command, id, UserEvent::Block)?;
    if found.ghost {
        return Err(UserRefusal::Internal(UserEvent::Block).into());
    }
    let outcome = found.state.apply(UserEvent::Block)?;
    exclude(command, &found, outcome, EventKind::UserBlocked)
}

/// Lets a blocked account in again; administrators only. Fails for a deactivated one; a banned one remains so.
pub fn unblock(command: &mut Command<'_>, id: UserId) -> Result<Transition<UserState>, AppError> {
    let found = command.query().account(id, UserAction::Administer)?;
    let outcome = found.state.apply(UserEvent::Unblock)?;
    save(command, id, outcome, EventKind::UserUnblocked)
}

/// Deactivates an account that was not used lately, and ends its sessions; administrators only. Its user makes it active again
/// by signing in on a page.
pub fn deactivate(command: &mut Command<'_>, id: UserId) -> Result<Transition<UserState>, AppError> {
    let found = command.query().account(id, UserAction::Administer)?;
    check_other(command, id, UserEvent::Deactivate)?;
    let outcome = found.deactivate(command.now)?;
    exclude(command, &found, outcome, EventKind::UserDeactivated)
}

/// Makes a deactivated account active again; administrators only. Fails for one that is blocked or banned.
pub fn activate(command: &mut Command<'_>, id: UserId) -> Result<Transition<UserState>, AppError> {
    let found = command.query().account(id, UserAction::Administer)?;
    let outcome = found.state.apply(UserEvent::Activate)?;
    save(command, id, outcome, EventKind::UserActivated)
}

/// Bans an active account, and ends its sessions; administrators only.
pub fn ban(command: &mut Command<'_>, id: UserId) -> Result<Transition<UserState>, AppError> {
    let found = command.query().account(id, UserAction::Administer)?;
    check_other(command, id, UserEvent::Ban)?;
    if found.ghost {
        return Err(UserRefusal::Internal(UserEvent::Ban).into());
    }
    let outcome = found.state.apply(UserEvent::Ban)?;
    exclude(command, &found, outcome, EventKind::UserBanned)
}

/// Lets a banned account in again; administrators only.
pub fn unban(command: &mut Command<'_>, id: UserId) -> Result<Transition<UserState>, AppError> {
    let found = command.query().account(id, UserAction::Administer)?;
    let outcome = found.state.apply(UserEvent::Unban)?;
    save(command, id, outcome, EventKind::UserUnbanned)
}

/// Lets an account in that its user has made; administrators only. Fails with 409 for one that does not wait for that.
pub fn approve(command: &mut Command<'_>, id: UserId) -> Result<(), AppError> {
    let found = command.query().account(id, UserAction::Administer)?;
    let outcome = found.state.apply(UserEvent::Approve)?;
    save(command, id, outcome, EventKind::UserApproved).map(drop)
}

/// Removes an account that its user has made and that was not approved; administrators only. Fails with 409 for one that does not
/// wait for that.
pub fn reject(command: &mut Command<'_>, id: UserId) -> Result<(), AppError> {
    let found = command.query().account(id, UserAction::Administer)?;
    if found.state != UserState::Pending {
        return Err(StateRefusal::RejectOther.into());
    }
    delete(command, id, false, None)
}

/// Administrators do not lock themselves out by the API.
fn check_other(command: &Command<'_>, id: UserId, event: UserEvent) -> Result<(), AppError> {
    if command.viewer().user() == Some(id) {
        return Err(UserRefusal::Oneself(event).into());
    }
    Ok(())
}

/// Stores a state in which the account may not be used.
fn exclude(
    command: &mut Command<'_>,
    found: &User,
    outcome: Transition<UserState>,
    kind: EventKind,
) -> Result<Transition<UserState>, AppError> {
    if let Transition::Moved(_) = outcome {
        keep_an_administrator(command, found, false)?;
        session::delete_of_user(&mut command.tx, found.id)?;
    }
    save(command, found.id, outcome, kind)
}

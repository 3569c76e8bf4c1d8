//! Removing a second factor.

use tenon_domain::event::EventKind;
use tenon_domain::id::UserId;
use tenon_domain::refusal::TwoFactorRefusal;
use tenon_domain::user::UserAction;
use tenon_storage::{passkey, two_factor, user};

use crate::core::app::Command;
use crate::core::confirmation::Confirmed;
use crate::core::error::{AppError, Missing};
use crate::shared::access::ways_in::check_another_way;

/// Removes the second factor of the caller, who has just been confirmed, or what they have begun to set up, and all passkeys.
/// Fails with 409 if the passkeys are the only way to sign in.
pub fn disable(command: &mut Command<'_>, confirmed: Confirmed) -> Result<(), AppError> {
    let user = command.user()?.id;
    confirmed.check(user)?;
    let keys = passkey::count(&mut command.tx, user)?;
    if keys > 0 {
        check_another_way(command, user, keys)?;
    }
    remove(command, user).map(drop)
}

/// Removes the second factor of a user; administrators only. Fails with 403 for the account of an administrator, so
/// that one token weakens no other, and with 400 if there is none.
pub fn disable_of(command: &mut Command<'_>, id: UserId) -> Result<(), AppError> {
    let user = command.query().account(id, UserAction::Administer)?;
    if user.admin {
        return Err(TwoFactorRefusal::OfAdministrator.into());
    }
    if remove(command, id)? { Ok(()) } else { Err(TwoFactorRefusal::NotEnabled.into()) }
}

/// Removes the second factor of the account that the server knows by that name: the command line's way out of a lock-out.
/// Yields whether there was one.
pub fn disable_for(command: &mut Command<'_>, username: &str) -> Result<bool, AppError> {
    let found = user::find_by_username(&mut command.tx, username)?.ok_or(AppError::NotFound(Missing::User))?;
    remove(command, found.id)
}

/// True if one was enabled.
fn remove(command: &mut Command<'_>, user: UserId) -> Result<bool, AppError> {
    let was_enabled = two_factor::is_enabled(&mut command.tx, user)?;
    two_factor::delete(&mut command.tx, user)?;
    passkey::delete_of_user(&mut command.tx, user)?;
    if was_enabled {
        let event = command.event(EventKind::TwoFactorDisabled).user(user);
        command.append(&event)?;
    }
    Ok(was_enabled)
}

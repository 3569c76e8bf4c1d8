//! The caller's own passkeys.

use tenon_domain::event::EventKind;
use tenon_domain::id::PasskeyId;
use tenon_domain::passkey::{Passkey, check_name};
use tenon_storage::{passkey, two_factor};

use crate::core::app::{Command, Query};
use crate::core::confirmation::Confirmed;
use crate::core::error::{AppError, Missing};
use crate::shared::access::ways_in::check_any_way;

/// The caller's passkeys, by id. There are never more than `limits.accounts.passkeys`.
pub fn list(query: &mut Query<'_>) -> Result<Vec<Passkey>, AppError> {
    let user = query.user()?.id;
    let most = i64::try_from(query.app.limits().accounts.passkeys).unwrap_or(i64::MAX);
    Ok(passkey::of_user(&mut query.tx, user, most)?)
}

/// Gives a passkey of the caller another name. 404 if it is not one of theirs.
pub fn rename(command: &mut Command<'_>, id: PasskeyId, name: &str) -> Result<(), AppError> {
    let user = command.user()?.id;
    check_name(name).into_result()?;
    if passkey::rename(&mut command.tx, user, id, name.trim())? {
        return Ok(());
    }
    Err(AppError::NotFound(Missing::Plain))
}

/// Removes a passkey of the caller, who has just been confirmed. 404 if it is not one of theirs; 409 if they could not sign in
/// any more. If no second factor is left, the recovery codes are void as well.
pub fn remove(command: &mut Command<'_>, confirmed: Confirmed, id: PasskeyId) -> Result<(), AppError> {
    let user = command.user()?.id;
    confirmed.check(user)?;
    if !passkey::delete(&mut command.tx, user, id)? {
        return Err(AppError::NotFound(Missing::Plain));
    }
    check_any_way(command, user)?;
    let event = command.event(EventKind::PasskeyRemoved).user(user);
    command.append(&event)?;
    if !two_factor::is_enabled(&mut command.tx, user)? {
        two_factor::replace_recovery_codes(&mut command.tx, user, &[])?;
        let event = command.event(EventKind::TwoFactorDisabled).user(user);
        command.append(&event)?;
    }
    Ok(())
}

//! The ways in which a user can sign in on pages.

use tenon_domain::id::UserId;
use tenon_domain::refusal::TwoFactorRefusal;
use tenon_storage::{passkey, user};

use crate::core::app::Command;
use crate::core::error::AppError;

/// Refused if a user could not sign in any more without so many of their passkeys.
pub(crate) fn check_another_way(command: &mut Command<'_>, user: UserId, passkeys: i64) -> Result<(), AppError> {
    let takes_passwords = command.query().settings()?.password_authentication_enabled_for_web;
    let has_password = takes_passwords && user::password_digest(&mut command.tx, user)?.is_some();
    if has_password || passkey::count(&mut command.tx, user)? > passkeys {
        return Ok(());
    }
    let accounts = user::identities(&mut command.tx, &[user])?.remove(&user).unwrap_or_default();
    if accounts.iter().any(|account| command.app.provider(&account.provider).is_some()) {
        return Ok(());
    }
    Err(TwoFactorRefusal::OnlyWay.into())
}

/// Refused if a user cannot sign in any more.
pub(crate) fn check_any_way(command: &mut Command<'_>, user: UserId) -> Result<(), AppError> {
    check_another_way(command, user, 0)
}

//! The ways in which a user can sign in on pages.

use tenon_domain::id::UserId;
use tenon_domain::refusal::TwoFactorRefusal;
use tenon_storage::{passkey, user};

use super::passkey_proof::relying_party;
use crate::core::app::Command;
use crate::core::error::AppError;

/// Refused if a user could not sign in any more without so many of their passkeys.
pub(crate) fn check_another_way(command: &mut Command<'_>, user: UserId, passkeys: i64) -> Result<(), AppError> {
    let takes_passwords = command.query().settings()?.password_authentication_enabled_for_web;
    if takes_passwords && user::password_digest(&mut command.tx, user)?.is_some() {
        return Ok(());
    }
    // Browsers use passkeys only on a server whose address has a name.
    if relying_party(command.app).is_some() && passkey::count(&mut command.tx, user)? > passkeys {
        return Ok(());
    }
    let accounts = user::issuers(&mut command.tx, user)?;
    let is_known = |(name, issuer): (&String, &Option<String>)| {
        command.app.provider(name).is_some_and(|provider| provider.is_issuer(issuer.as_deref()))
    };
    if accounts.iter().any(is_known) { Ok(()) } else { Err(TwoFactorRefusal::OnlyWay.into()) }
}

/// Refused if a user cannot sign in any more.
pub(crate) fn check_any_way(command: &mut Command<'_>, user: UserId) -> Result<(), AppError> {
    check_another_way(command, user, 0)
}

//! Asking for the second factor.

use tenon_auth::{Secret, digest};
use tenon_domain::id::UserId;
use tenon_domain::two_factor::Code;
use tenon_storage::two_factor;

use super::enrol::opened;
use crate::core::app::{App, Command};
use crate::core::error::AppError;
use crate::core::identity::Identity;

impl App {
    /// True if `code` is the second factor of a user whose password was right: what the authenticator shows, or a
    /// recovery code. Either is used up by that. `false` also if the user has no second factor. Fails with 429 if too
    /// many codes for the account were wrong.
    pub async fn verify_second_factor(&self, user: UserId, code: Secret) -> Result<bool, AppError> {
        self.may_try_code(user)?;
        self.write(&Identity::anonymous(), move |command| {
            // Asked again now that it is this one's turn: others may have failed since.
            command.app.may_try_code(user)?;
            let is_right = verify(command, user, &code)?;
            if !is_right {
                command.app.sign_ins().note_wrong_code(user);
            }
            Ok(is_right)
        })
        .await
    }
}

fn verify(command: &mut Command<'_>, user: UserId, code: &Secret) -> Result<bool, AppError> {
    if !two_factor::is_enabled(&mut command.tx, user)? {
        return Ok(false);
    }
    match Code::parse(code.expose()) {
        Code::OneTime(digits) => {
            let factor = two_factor::find(&mut command.tx, user)?;
            // Users who have only passkeys have no such codes.
            let Some(factor) = factor.filter(|factor| factor.enabled_at.is_some()) else { return Ok(false) };
            let secret = opened(command.app, &factor)?;
            let Some(step) = secret.step_of(&digits, command.now.timestamp(), factor.last_step) else {
                return Ok(false);
            };
            two_factor::set_last_step(&mut command.tx, user, step)?;
            Ok(true)
        }
        Code::Recovery(text) => Ok(two_factor::use_recovery_code(&mut command.tx, user, &digest(&text))?),
    }
}

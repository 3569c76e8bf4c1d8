//! From a name and a password to the account, where a program sends them for its user. Wrong passwords are counted.

use tenon_auth::Secret;
use tenon_domain::user::{User, UserState, normalise_email};
use tenon_storage::user;

use crate::core::app::App;
use crate::core::error::AppError;

/// Why a password leads to no account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PasswordRefusal {
    /// There is no such account, it is not active, or the password is not its own: which of these is not said.
    Wrong,
    /// Passwords are not accepted from programs.
    NotAccepted,
}

impl App {
    /// The account with this user name or e-mail address, if the password is right and the account is active. All that
    /// can be wrong takes the same time. Fails where too many passwords for the name, or from the client, were wrong.
    pub(crate) async fn sign_in_with_password(
        &self,
        name: String,
        password: Secret,
    ) -> Result<Result<User, PasswordRefusal>, AppError> {
        // Asked before the password waits for a thread, and again when it gets one: others may have failed since.
        self.may_try_password(&name)?;
        let app = self.clone();
        self.on_password(move || {
            app.may_try_password(&name)?;
            let found = app.by_password(&name, &password)?;
            if found != Err(PasswordRefusal::NotAccepted) {
                app.sign_ins().note(&name, app.client(), found.is_ok());
            }
            Ok(found)
        })
        .await
    }

    fn may_try_password(&self, name: &str) -> Result<(), AppError> {
        let checked = self.sign_ins().check(name, self.client());
        checked.map_err(|throttled| AppError::Throttled { retry_after: throttled.seconds() })
    }

    /// A tenth of a second, spent outside any transaction.
    fn by_password(&self, name: &str, password: &Secret) -> Result<Result<User, PasswordRefusal>, AppError> {
        let found = self.parts().database.read(|tx| -> Result<_, AppError> {
            let settings = tenon_storage::settings::load(tx)?;
            if name.contains('\0') {
                // No name holds it, and PostgreSQL takes no text that does.
                return Ok(settings.password_authentication_enabled_for_git.then_some((None, None)));
            }
            let found = match user::find_by_username(tx, name)? {
                Some(found) => Some(found),
                None => user::find_by_email(tx, &normalise_email(name))?,
            };
            let digest = match &found {
                Some(found) => user::password_digest(tx, found.id)?,
                None => None,
            };
            Ok(settings.password_authentication_enabled_for_git.then_some((found, digest)))
        })?;
        let Some((found, digest)) = found else { return Ok(Err(PasswordRefusal::NotAccepted)) };
        // Verified also where there is no such user: the time must be the same.
        let matches = self.passwords().verify(password.expose(), digest.as_deref());
        let right = found.filter(|user| matches && user.state == UserState::Active && !user.ghost);
        Ok(right.ok_or(PasswordRefusal::Wrong))
    }
}

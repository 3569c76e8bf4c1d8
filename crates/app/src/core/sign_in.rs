//! From a name and a password to the account. Wrong passwords are counted.

use tenon_auth::Secret;
use tenon_domain::id::UserId;
use tenon_domain::user::{AccountUse, Exclusion, User, normalise_email};
use tenon_storage::{ReadTx, StoreResult, user};

use crate::core::app::App;
use crate::core::error::AppError;

/// The place at which a password is presented: settings allow it in one place or the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// By a program, for its user: Git over HTTP, and the password grant of OAuth 2.0.
    Programs,
    /// On the page to sign in.
    Pages,
}

/// An account whose password was right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Proved {
    /// The account.
    pub(crate) user: User,
    /// The digest of the password, by which a change in the meantime is noticed.
    pub(crate) digest: Option<String>,
}

/// Why a password leads to no account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PasswordRefusal {
    /// There is no such account, or the password is not its own: which of these is not said.
    Wrong,
    /// The password is right, and the account may not be used.
    Excluded(UserId, Exclusion),
    /// The password is right, and the address of the account was not confirmed, for which mail was sent.
    Unconfirmed(UserId),
    /// Passwords are not accepted in this place.
    NotAccepted,
}

impl App {
    /// The account with this user name or e-mail address, if the password is right and the account may be used so: on
    /// pages also one that is deactivated. All that can be wrong takes the same time. Fails if too many passwords for
    /// the name, or from the client, were wrong.
    pub(crate) async fn sign_in_with_password(
        &self,
        name: String,
        password: Secret,
        place: Place,
    ) -> Result<Result<Proved, PasswordRefusal>, AppError> {
        // Asked before the password waits for a thread, and again when it gets one: others may have failed since.
        self.may_try_password(&name)?;
        let app = self.clone();
        self.on_password(move || app.by_password(&name, &password, place)).await
    }

    /// Fails with 429 if too many codes that this user has typed were wrong.
    pub(crate) fn may_try_code(&self, user: UserId) -> Result<(), AppError> {
        let checked = self.sign_ins().check_code(user);
        checked.map_err(|throttled| AppError::Throttled { retry_after: throttled.seconds() })
    }

    fn may_try_password(&self, name: &str) -> Result<(), AppError> {
        let checked = self.lockout().check(name).and_then(|()| self.sign_ins().check(name, self.client()));
        checked.map_err(|throttled| AppError::Throttled { retry_after: throttled.seconds() })
    }

    /// A tenth of a second, spent outside any transaction.
    fn by_password(
        &self,
        name: &str,
        password: &Secret,
        place: Place,
    ) -> Result<Result<Proved, PasswordRefusal>, AppError> {
        let found = self.parts().database.read(|tx| -> Result<_, AppError> {
            let settings = tenon_storage::settings::load(tx)?;
            let is_accepted = match place {
                Place::Programs => settings.password_authentication_enabled_for_git,
                Place::Pages => settings.password_authentication_enabled_for_web,
            };
            let found = account(tx, name)?;
            let digest = match &found {
                Some(found) => user::password_digest(tx, found.id)?,
                None => None,
            };
            Ok(is_accepted.then_some((found, digest)))
        })?;
        let Some((found, digest)) = found else { return Ok(Err(PasswordRefusal::NotAccepted)) };
        self.may_try_password(name)?;
        // Verified also if there is no such user: the time must be the same.
        let matches = self.passwords().verify(password.expose(), digest.as_deref());
        let wanted = match place {
            Place::Programs => AccountUse::Act,
            Place::Pages => AccountUse::SignIn,
        };
        let right = found.filter(|_| matches);
        let admitted = right.map(|user| match user.admits(wanted) {
            Ok(()) => Ok(Proved { user, digest }),
            Err(exclusion) => Err(PasswordRefusal::Excluded(user.id, exclusion)),
        });
        // Who waits for approval tries the right password now and then: that is no wrong one, and no sign-in.
        if !matches!(admitted, Some(Err(PasswordRefusal::Excluded(_, Exclusion::Pending)))) {
            let is_right = matches!(admitted, Some(Ok(_)));
            self.lockout().note(name, is_right);
            self.sign_ins().note(name, self.client(), is_right);
        }
        Ok(match admitted {
            None => Err(PasswordRefusal::Wrong),
            Some(Ok(proved)) if self.sends_mail() && proved.user.confirmed_at.is_none() => {
                Err(PasswordRefusal::Unconfirmed(proved.user.id))
            }
            Some(outcome) => outcome,
        })
    }
}

/// Why a user who has proved the account without a password does not get in: as with one.
pub(crate) fn refusal_of(app: &App, user: &User) -> Option<PasswordRefusal> {
    match user.admits(AccountUse::SignIn) {
        Err(exclusion) => Some(PasswordRefusal::Excluded(user.id, exclusion)),
        Ok(()) if app.sends_mail() && user.confirmed_at.is_none() => Some(PasswordRefusal::Unconfirmed(user.id)),
        Ok(()) => None,
    }
}

/// The account of this user name or e-mail address.
fn account(tx: &mut ReadTx<'_>, name: &str) -> StoreResult<Option<User>> {
    if name.contains('\0') {
        // No name holds it, and PostgreSQL takes no text that does.
        return Ok(None);
    }
    match user::find_by_username(tx, name)? {
        Some(found) => Ok(Some(found)),
        None => user::find_by_email(tx, &normalise_email(name)),
    }
}

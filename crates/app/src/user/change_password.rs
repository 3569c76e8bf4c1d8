//! Users change their own passwords.

use tenon_auth::{Secret, is_same};
use tenon_domain::event::EventKind;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::id::UserId;
use tenon_domain::refusal::UserRefusal;
use tenon_domain::time::TimeDelta;
use tenon_domain::user::check_password;
use tenon_storage::{session, user};

use super::password::Password;
use crate::core::app::{App, Command, Query};
use crate::core::confirmation::Confirmed;
use crate::core::error::AppError;
use crate::core::identity::Identity;

/// True if a user has to change the password before anything else in a browser: someone else has set it. Tokens are not
/// hindered, nor is the password itself for Git.
pub fn must_change_password(query: &mut Query<'_>, user: UserId) -> Result<bool, AppError> {
    Ok(user::password_is_expired(&mut query.tx, user)?)
}

/// The user whose password was given, and its digest, by which a change in between is noticed.
struct Proved {
    user: UserId,
    /// `None` if the user had no password, and has signed in just now.
    digest: Option<String>,
}

/// How long a user without a password counts as confirmed after signing in.
const RECENTLY: TimeDelta = TimeDelta::minutes(15);

/// True if the caller has a password. Who signs in with an account elsewhere may have none.
pub fn has_password(query: &mut Query<'_>) -> Result<bool, AppError> {
    let user = query.user()?.id;
    Ok(user::password_digest(&mut query.tx, user)?.is_some())
}

impl App {
    /// That the caller has just given their password, or has none and has signed in just now; `None` if not. Fails with 429 if
    /// too many were wrong.
    pub async fn confirm_password(&self, identity: &Identity, password: Secret) -> Result<Option<Confirmed>, AppError> {
        let proved = self.prove_password(identity, password).await?;
        Ok(proved.map(|proved| Confirmed::of(proved.user)))
    }

    /// Gives the caller a new password and ends all their sessions: the page that asked begins a new one for the user
    /// whose id is returned. Fails with the problems of either password, and with 429 if too many of the caller's
    /// passwords were wrong.
    pub async fn change_password(&self, identity: &Identity, current: Secret, new: Secret) -> Result<UserId, AppError> {
        let proved = self.prove_password(identity, current.clone()).await?;
        let proved = proved.ok_or_else(|| AppError::invalid("current_password", "is invalid"))?;
        let mut errors = FieldErrors::default();
        check_password(&mut errors, new.expose(), &self.known_settings().passwords);
        errors.require(!is_same(new.expose(), current.expose()), "password", "must differ from the current one");
        errors.into_result()?;
        let app = self.clone();
        let new = self.on_password(move || app.new_password_now(Password::Given(Some(new)))).await?;
        let user = proved.user;
        self.write(identity, move |command| store(command, &proved, &new.into_digest())).await?;
        Ok(user)
    }

    async fn prove_password(&self, identity: &Identity, password: Secret) -> Result<Option<Proved>, AppError> {
        let caller = self.read(identity, |query| {
            let (id, now) = (query.user()?.id, query.now);
            let session = query.caller.session.as_deref().filter(|session| session.impersonator.is_none());
            let is_recent = session.is_some_and(|session| now - session.created_at < RECENTLY);
            Ok((id, user::password_digest(&mut query.tx, id)?, is_recent))
        });
        let (user, digest, is_recent) = caller.await?;
        if digest.is_none() && is_recent {
            return Ok(Some(Proved { user, digest: None }));
        }
        let app = self.clone();
        self.on_password(move || {
            let checked = app.sign_ins().check_confirmation(user);
            checked.map_err(|throttled| AppError::Throttled { retry_after: throttled.seconds() })?;
            let is_right = app.passwords().verify(password.expose(), digest.as_deref());
            if !is_right {
                app.sign_ins().note_wrong_confirmation(user);
            }
            Ok(Some(Proved { user, digest }).filter(|_| is_right))
        })
        .await
    }
}

fn store(command: &mut Command<'_>, proved: &Proved, digest: &str) -> Result<(), AppError> {
    command.refuse_impersonated()?;
    let user = command.user()?.id;
    let current = user::password_digest(&mut command.tx, user)?;
    if user != proved.user || current != proved.digest {
        return Err(UserRefusal::PasswordChanged.into());
    }
    user::set_password(&mut command.tx, user, digest, false)?;
    session::delete_of_user(&mut command.tx, user)?;
    let event = command.event(EventKind::PasswordChanged).user(user);
    command.append(&event)
}

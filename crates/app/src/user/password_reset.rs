//! Users choose a new password by a link that is mailed to them: who has forgotten theirs, or has not had one yet.

use serde::{Deserialize, Serialize};
use tenon_auth::{Secret, digest};
use tenon_domain::event::EventKind;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::id::UserId;
use tenon_domain::limits::MailLimits;
use tenon_domain::refusal::UserRefusal;
use tenon_domain::settings::Settings;
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_domain::user::{AccountUse, User, normalise_email};
use tenon_outbound::mail::Mail;
use tenon_storage::job::Queue;
use tenon_storage::user::password_reset::{self, PasswordReset};
use tenon_storage::{ReadTx, session, user};

use super::password::NewPassword;
use crate::core::app::{App, Command, Query};
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::core::mail;
use crate::jobs::{AsyncJob, Job, enqueue};
use crate::shared::access::email_confirmation::confirm_primary;

impl App {
    /// Asks for a link to the account that has this primary address. The answer, and the work for it, are the same
    /// whether or not there is such an account, and whether or not it gets mail. Fails with 403 if passwords are not
    /// accepted on pages or no mail is sent, and with 429 if the client has asked too often, or the address was named
    /// too often.
    pub async fn request_password_reset(&self, identity: &Identity, address: &str) -> Result<(), AppError> {
        let address = normalise_email(address);
        let counted = self.anonymous_throttle().count_password_reset(self.client(), &address);
        counted.map_err(|throttled| AppError::Throttled { retry_after: throttled.seconds() })?;
        self.write(identity, move |command| request(command, &address)).await
    }

    /// Gives the user for whom `token` was made a new password, and ends all sessions of that user. The token is then
    /// void. Fails with 404 if it has ended, with the problems of the password, and with 403 if passwords are not
    /// accepted on pages.
    pub async fn complete_password_reset(
        &self,
        identity: &Identity,
        token: Secret,
        password: Secret,
    ) -> Result<(), AppError> {
        let (presented, typed) = (token.clone(), password.clone());
        // Only who has a token makes the server hash a password, and has proved the user thereby.
        let subject = self.read_credential(move |query| {
            let subject = subject_of(query, &presented)?.ok_or(AppError::NotFound(Missing::Plain))?;
            let mut errors = FieldErrors::default();
            NewPassword::unhashed(&typed, &query.settings()?.passwords).checked(&mut errors);
            errors.into_result()?;
            Ok(subject.id)
        });
        let app = self.used_by_user(Some(subject.await?));
        let new = app.new_password_of_user(password).await?;
        app.write(identity, move |command| complete(command, &token, &new.into_digest())).await
    }
}

fn request(command: &mut Command<'_>, address: &str) -> Result<(), AppError> {
    command.refuse_impersonated()?;
    let settings = command.query().settings()?;
    check_accepted(&settings)?;
    if !command.app.sends_mail() {
        return Err(UserRefusal::NoMail.into());
    }
    // No address holds it, and PostgreSQL takes no text that does.
    let found = if address.contains('\0') { None } else { user::find_by_email(&mut command.tx, address)? };
    let asked_at = command.now.timestamp_micros();
    enqueue(
        command,
        &SendPasswordReset { user: found.map(|user| user.id.get()), occasion: Occasion::Forgotten, asked_at },
    )
}

/// Asks for the mail by which a new user chooses the first password; does nothing if no mail is sent.
pub(super) fn send_first_password(command: &mut Command<'_>, user: UserId) -> Result<(), AppError> {
    if !command.app.sends_mail() {
        return Ok(());
    }
    let asked_at = command.now.timestamp_micros();
    enqueue(command, &SendPasswordReset { user: Some(user.get()), occasion: Occasion::First, asked_at })
}

/// A password that is accepted nowhere on pages cannot be of use to who has forgotten it.
fn check_accepted(settings: &Settings) -> Result<(), AppError> {
    if settings.password_authentication_enabled_for_web {
        return Ok(());
    }
    Err(UserRefusal::NoPasswords.into())
}

/// The name of the user whose password this token changes; `None` if the link has ended. Fails with 403 if passwords
/// are not accepted on pages.
pub fn awaits_new_password(query: &mut Query<'_>, token: &Secret) -> Result<Option<String>, AppError> {
    Ok(subject_of(query, token)?.map(|user| user.username))
}

fn subject_of(query: &mut Query<'_>, token: &Secret) -> Result<Option<User>, AppError> {
    let settings = query.settings()?;
    check_accepted(&settings)?;
    let now = query.now;
    let Some(id) = password_reset::by_digest(&mut query.tx, &digest(token.expose()), now)? else { return Ok(None) };
    recipient(&mut query.tx, id)
}

/// The user, if the account may be signed in to: also a deactivated one, which signing in makes active. One whose address was never
/// confirmed, and for whom another address waits to be confirmed, has no address that is theirs.
fn recipient(tx: &mut ReadTx<'_>, id: UserId) -> Result<Option<User>, AppError> {
    let Some(user) = user::find(tx, id)?.filter(|user| user.admits(AccountUse::SignIn).is_ok()) else {
        return Ok(None);
    };
    let is_theirs = user.confirmed_at.is_some() || user::unconfirmed_email(tx, id)?.is_none();
    Ok(is_theirs.then_some(user))
}

fn complete(command: &mut Command<'_>, token: &Secret, password: &str) -> Result<(), AppError> {
    command.refuse_impersonated()?;
    let subject = subject_of(&mut command.query(), token)?.ok_or(AppError::NotFound(Missing::Plain))?;
    let now = command.now;
    let used = password_reset::use_up(&mut command.tx, &digest(token.expose()), now)?;
    if used != Some(subject.id) {
        return Err(AppError::NotFound(Missing::Plain));
    }
    user::set_password(&mut command.tx, subject.id, password, false)?;
    session::delete_of_user(&mut command.tx, subject.id)?;
    if subject.confirmed_at.is_none() {
        // Who has opened the link reads mail there.
        confirm_primary(command, &subject)?;
    }
    let event = command.event(EventKind::PasswordChanged).user(subject.id);
    command.append(&event)
}

/// Why a user chooses a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Occasion {
    /// An administrator has made the account, with a password that no one knows.
    First,
    /// Someone says that they have forgotten it.
    Forgotten,
}

impl Occasion {
    fn lifetime(self, limits: &MailLimits) -> Result<TimeDelta, AppError> {
        let lifetime = match self {
            Self::First => limits.first_password,
            Self::Forgotten => limits.password_reset,
        };
        TimeDelta::from_std(lifetime).map_err(AppError::internal)
    }
}

/// The mail with the link. Each time that it is sent it has another token: that of a mail that did not leave the server is in
/// no one's hands, and is void.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SendPasswordReset {
    /// None if no account has the address that was typed: the job is there all the same, so that asking takes the same
    /// time.
    user: Option<i64>,
    occasion: Occasion,
    /// In microseconds since 1970.
    asked_at: i64,
}

impl Job for SendPasswordReset {
    const KIND: &'static str = "send_password_reset";
    const QUEUE: Queue = Queue::Mail;
}

impl AsyncJob for SendPasswordReset {
    async fn run(self, app: &App) -> Result<(), AppError> {
        let Some(user) = self.user.map(UserId::new) else { return Ok(()) };
        let asked_at = Timestamp::from_timestamp_micros(self.asked_at).unwrap_or_default();
        match app.command(|command| prepare(command, user, self.occasion, asked_at))? {
            Some(mail) => app.send_mail_of(&mail, asked_at),
            None => Ok(()),
        }
    }
}

/// The mail, whose token counts from now on in the place of an earlier one; `None` if the user gets none, or none any
/// more.
fn prepare(
    command: &mut Command<'_>,
    id: UserId,
    occasion: Occasion,
    asked_at: Timestamp,
) -> Result<Option<Mail>, AppError> {
    let limits = &command.app.limits().mail;
    let expires_at = asked_at + occasion.lifetime(limits)?;
    let most = i64::try_from(limits.password_resets).unwrap_or(i64::MAX);
    if expires_at <= command.now || !command.query().settings()?.password_authentication_enabled_for_web {
        return Ok(None);
    }
    let Some(user) = recipient(&mut command.tx, id)? else { return Ok(None) };
    let last = password_reset::find(&mut command.tx, id)?;
    let Some((counted_since, mails)) = counted(last.as_ref(), asked_at, most) else { return Ok(None) };
    let token = Secret::generate(command.app.entropy());
    let digest = Some(digest(token.expose()));
    let reset = PasswordReset { user: id, digest, asked_at, expires_at, counted_since, mails };
    password_reset::replace(&mut command.tx, &reset)?;
    let base = command.app.base_url();
    let link = format!("{base}/users/password/edit?reset_password_token={}", token.expose());
    let until = expires_at.format("%Y-%m-%d %H:%M UTC");
    let (subject, text) = match occasion {
        Occasion::First => (
            format!("Choose a password for your account on {}", mail::host(base)),
            format!(
                "An account was created for you on {base}. Your username is {}. To choose a password, open this link:\n\n{link}\n\n\
                 The link works once and expires on {until}. After that, request a new one: \
                 {base}/users/password/new\n",
                user.username,
            ),
        ),
        Occasion::Forgotten => (
            "Reset your password".to_owned(),
            format!(
                "Someone requested a password reset for the account @{} on {base}. To choose a new password, open this link:\n\n{link}\n\n\
                 The link works once and expires on {until}. If you did not request this, ignore this email. Your \
                 password will not change.\n",
                user.username,
            ),
        ),
    };
    let name = command.app.mail_id(&format!("password_reset_{id}_{}", asked_at.timestamp_micros()));
    Ok(Some(mail::plain(&user.email, subject, name, text, asked_at)))
}

/// Since when mails to a user are counted, and how many there are with the one that was asked for at `asked_at`; `None`
/// if that is one too many within an hour, if a later one was sent already, and if the link of this one has been used.
fn counted(last: Option<&PasswordReset>, asked_at: Timestamp, most: i64) -> Option<(Timestamp, i64)> {
    match last {
        Some(last) if last.asked_at > asked_at => None,
        // The same mail, which could not be sent before.
        Some(last) if last.asked_at == asked_at => last.digest.as_ref().map(|_| (last.counted_since, last.mails)),
        Some(last) if asked_at < last.counted_since + TimeDelta::hours(1) => {
            (last.mails < most).then_some((last.counted_since, last.mails + 1))
        }
        Some(_) | None => Some((asked_at, 1)).filter(|_| most > 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mails_are_counted_within_an_hour() {
        let at = |minutes: i64| Timestamp::from_timestamp(1_800_000_000, 0).unwrap() + TimeDelta::minutes(minutes);
        let last = |asked: i64, since: i64, mails: i64| PasswordReset {
            user: UserId::new(1),
            digest: Some(String::new()),
            asked_at: at(asked),
            expires_at: at(asked + 360),
            counted_since: at(since),
            mails,
        };
        assert_eq!(counted(None, at(0), 2), Some((at(0), 1)));
        assert_eq!(counted(None, at(0), 0), None);
        assert_eq!(counted(Some(&last(0, 0, 1)), at(10), 2), Some((at(0), 2)));
        assert_eq!(counted(Some(&last(10, 0, 2)), at(59), 2), None);
        assert_eq!(counted(Some(&last(10, 0, 2)), at(60), 2), Some((at(60), 1)));
        assert_eq!(counted(Some(&last(10, 0, 2)), at(10), 2), Some((at(0), 2)), "once more");
        let used = PasswordReset { digest: None, ..last(10, 0, 1) };
        assert_eq!(counted(Some(&used), at(10), 2), None, "its link was used");
        assert_eq!(counted(Some(&used), at(11), 2), Some((at(0), 2)));
        assert_eq!(counted(Some(&last(10, 0, 1)), at(9), 2), None, "a later one was sent");
    }
}

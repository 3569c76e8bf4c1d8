//! Addresses are confirmed by who reads mail there. If the server sends no mail, they wait for an administrator.

use serde::{Deserialize, Serialize};
use tenon_auth::{Secret, digest};
use tenon_domain::email::Email;
use tenon_domain::event::EventKind;
use tenon_domain::id::{EmailId, UserId};
use tenon_domain::time::TimeDelta;
use tenon_domain::user::User;
use tenon_outbound::mail::Mail;
use tenon_storage::email::confirmation::{self, Confirmation};
use tenon_storage::job::Queue;
use tenon_storage::{ReadTx, email, user};

use crate::core::app::{App, Command, Query};
use crate::core::error::{AppError, Missing};
use crate::core::mail;
use crate::jobs::{AsyncJob, Job, enqueue};

/// Minutes after which another link is sent to who signs in again.
const AGAIN_AFTER: i64 = 10;

/// Sends a link to an address of a user that confirms it; does nothing if no mail is sent. Fails with 429 if the user
/// has asked for too many: strangers may read mail at these addresses.
pub(crate) fn send_link(command: &mut Command<'_>, user: UserId, address: &str) -> Result<(), AppError> {
    if !command.app.sends_mail() {
        return Ok(());
    }
    let (now, limits) = (command.now, &command.app.limits().mail);
    let most = i64::try_from(limits.confirmations).unwrap_or(i64::MAX);
    if confirmation::count(&mut command.tx, user, now)? >= most {
        return Err(AppError::Throttled {
            retry_after: u32::try_from(limits.confirmation.as_secs()).unwrap_or(u32::MAX),
        });
    }
    let ends = now + TimeDelta::from_std(limits.confirmation).map_err(AppError::internal)?;
    let id = confirmation::insert(&mut command.tx, user, address, now, ends)?;
    enqueue(command, &SendConfirmation { confirmation: id })
}

/// Sends another link to the primary address of a user who has proved the password, unless that was done just before, or too
/// often.
pub(crate) fn send_link_again(command: &mut Command<'_>, id: UserId) -> Result<(), AppError> {
    let Some(found) = user::find(&mut command.tx, id)?.filter(|user| user.confirmed_at.is_none()) else {
        return Ok(());
    };
    let last = confirmation::last_asked(&mut command.tx, id, &found.email)?;
    if last.is_some_and(|last| last + TimeDelta::minutes(AGAIN_AFTER) > command.now) {
        return Ok(());
    }
    match send_link(command, id, &found.email) {
        Ok(()) | Err(AppError::Throttled { .. }) => Ok(()),
        Err(other) => Err(other),
    }
}

/// The mail with the link. Each time that it is sent it has another token: that of a mail that did not leave the server is in
/// no one's hands, and is void.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SendConfirmation {
    confirmation: i64,
}

impl Job for SendConfirmation {
    const KIND: &'static str = "send_confirmation";
    const QUEUE: Queue = Queue::Mail;
}

impl AsyncJob for SendConfirmation {
    async fn run(self, app: &App) -> Result<(), AppError> {
        match app.command(|command| prepare(command, self.confirmation))? {
            Some(mail) => app.send_mail(&mail),
            None => Ok(()),
        }
    }
}

/// The mail, whose token counts from now on; `None` if there is nothing left to confirm.
fn prepare(command: &mut Command<'_>, id: i64) -> Result<Option<Mail>, AppError> {
    let Some(found) = confirmation::find(&mut command.tx, id)?.filter(|found| found.expires_at > command.now) else {
        return Ok(None);
    };
    let Some((user, _)) = subject(&mut command.tx, &found)? else { return Ok(None) };
    let token = Secret::generate(command.app.entropy());
    confirmation::set_digest(&mut command.tx, id, &digest(token.expose()))?;
    let base = command.app.base_url();
    let text = format!(
        "The account @{} on {base} added this email address. To confirm it, open this link:\n\n\
         {base}/users/confirmation?confirmation_token={}\n\n\
         The link works once and expires on {}. If this is not your account, ignore this email.\n",
        user.username,
        token.expose(),
        found.expires_at.format("%Y-%m-%d %H:%M UTC"),
    );
    let id = command.app.mail_id(&format!("confirmation_{id}"));
    Ok(Some(mail::plain(&found.address, "Confirm your email address".to_owned(), id, text, found.created_at)))
}

/// The use of an address that is confirmed.
enum Subject {
    /// The primary address stays what it is.
    Primary,
    /// It takes the place of the primary address.
    Successor,
    /// A secondary address.
    Secondary(Email),
}

/// The address that a link confirms now; `None` if the user has given up the address, or has confirmed it.
fn subject(tx: &mut ReadTx<'_>, link: &Confirmation) -> Result<Option<(User, Subject)>, AppError> {
    let Some(user) = user::find(tx, link.user)? else { return Ok(None) };
    let address = &link.address;
    if user.email == *address {
        return Ok(user.confirmed_at.is_none().then_some((user, Subject::Primary)));
    }
    if user::unconfirmed_email(tx, user.id)?.as_ref() == Some(address) {
        // Another account may have it by now.
        let is_free = !user::email_is_taken(tx, address, Some(user.id))?;
        return Ok(is_free.then_some((user, Subject::Successor)));
    }
    let found = email::find_of(tx, user.id, address)?.filter(|email| email.confirmed_at.is_none());
    Ok(found.map(|email| (user, Subject::Secondary(email))))
}

/// The address that this token confirms; `None` if it confirms none any more.
pub fn awaited_address(query: &mut Query<'_>, token: &Secret) -> Result<Option<String>, AppError> {
    let now = query.now;
    let Some(link) = confirmation::by_digest(&mut query.tx, &digest(token.expose()), now)? else { return Ok(None) };
    Ok(subject(&mut query.tx, &link)?.map(|_| link.address))
}

/// Confirms the address that this token stands for, which is then void. Fails with 404 if it stands for none any more.
pub fn confirm(command: &mut Command<'_>, token: &Secret) -> Result<(), AppError> {
    let (now, missing) = (command.now, || AppError::NotFound(Missing::Plain));
    let link = confirmation::by_digest(&mut command.tx, &digest(token.expose()), now)?.ok_or_else(missing)?;
    let (user, subject) = subject(&mut command.tx, &link)?.ok_or_else(missing)?;
    confirmation::use_up(&mut command.tx, user.id, &link.address)?;
    match subject {
        Subject::Primary => user::set_confirmed_email(&mut command.tx, user.id, &link.address, now)?,
        Subject::Successor => {
            keep_as_secondary(command, &user, &link.address)?;
            user::set_confirmed_email(&mut command.tx, user.id, &link.address, now)?;
        }
        Subject::Secondary(email) => email::confirm(&mut command.tx, email.id, now)?,
    }
    let event = command.event(EventKind::EmailConfirmed).user(user.id);
    command.append(&event)
}

/// Confirms the primary address of a user who has opened another link that was sent to it.
pub(crate) fn confirm_primary(command: &mut Command<'_>, user: &User) -> Result<(), AppError> {
    confirmation::use_up(&mut command.tx, user.id, &user.email)?;
    user::set_confirmed_email(&mut command.tx, user.id, &user.email, command.now)?;
    let event = command.event(EventKind::EmailConfirmed).user(user.id);
    command.append(&event)
}

/// Keeps the primary address of a user as a secondary one when `new` takes its place, which is then no secondary one.
pub(crate) fn keep_as_secondary(command: &mut Command<'_>, before: &User, new: &str) -> Result<(), AppError> {
    if let Some(known) = email::find_of(&mut command.tx, before.id, new)? {
        email::delete(&mut command.tx, &known)?;
    }
    let kept = Email {
        id: EmailId::new(0),
        user: before.id,
        address: before.email.clone(),
        confirmed_at: before.confirmed_at,
        created_at: command.now,
    };
    email::insert(&mut command.tx, &kept)?;
    Ok(())
}

//! Secondary addresses of users. The primary one belongs to the account itself.

use tenon_domain::event::EventKind;
use tenon_domain::field_errors::{FieldErrors, TAKEN};
use tenon_domain::id::{EmailId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;
use tenon_domain::user::{check_email, normalise_email};
use tenon_storage::{StoreError, UniqueKey, email, user};

pub use crate::shared::access::email_confirmation::{awaited_address, confirm};
pub use tenon_domain::email::Email;

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::account::{AccountReference, check_room};
use crate::policy::precondition::check_unmodified;
use crate::shared::access::email_confirmation::send_link;

/// The secondary addresses of an account, by id: the caller's own or, for administrators, any.
pub fn list(query: &mut Query<'_>, account: AccountReference, page: PageRequest) -> Result<Page<Email>, AppError> {
    let user = query.managed_account(account)?;
    Ok(email::list(&mut query.tx, user.id, page)?)
}

/// One of the caller's secondary addresses; those of others are missing.
pub fn show(query: &mut Query<'_>, id: EmailId) -> Result<Email, AppError> {
    let user = query.user()?.id;
    email_of(query, user, id)
}

fn email_of(query: &mut Query<'_>, user: UserId, id: EmailId) -> Result<Email, AppError> {
    let found = email::find(&mut query.tx, id)?;
    found.filter(|email| email.user == user).ok_or(AppError::NotFound(Missing::Email))
}

/// Adds a secondary address to an account: the caller's own or, for administrators, any. It counts as confirmed at once
/// if `confirmed`, which only administrators may say; else a link to confirm it is sent, if mail is sent. Fails with
/// the problems of the address, if any account has it already, and if the account has as many as it may have.
pub fn create(
    command: &mut Command<'_>,
    account: AccountReference,
    address: &str,
    confirmed: bool,
) -> Result<Email, AppError> {
    command.refuse_impersonated()?;
    let mut query = command.query();
    let user = query.extended_account(account)?;
    let address = normalise_email(address);
    let mut errors = FieldErrors::default();
    check_email(&mut errors, "email", &address);
    if errors.is_empty() && user::email_is_taken(&mut query.tx, &address, None)? {
        errors.add("email", TAKEN);
    }
    errors.into_result()?;
    let most = query.app.limits().accounts.emails;
    check_room(email::count(&mut query.tx, user.id)?, most, "secondary e-mail addresses")?;
    let confirmed = confirmed && query.is_admin();
    let mut new = Email {
        id: EmailId::new(0),
        user: user.id,
        address,
        confirmed_at: confirmed.then_some(command.now),
        created_at: command.now,
    };
    new.id = email::insert(&mut command.tx, &new).map_err(taken)?;
    if !confirmed {
        send_link(command, user.id, &new.address)?;
    }
    let event = command.event(EventKind::EmailCreated).user(user.id).detail(new.address.clone());
    command.append(&event)?;
    Ok(new)
}

fn taken(error: StoreError) -> AppError {
    match error {
        StoreError::Unique(UniqueKey::Email) => AppError::invalid("email", TAKEN),
        other => other.into(),
    }
}

/// Removes a secondary address of an account: the caller's own or, for administrators, any. It is then not published
/// either.
pub fn delete(
    command: &mut Command<'_>,
    account: AccountReference,
    id: EmailId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let mut query = command.query();
    let user = query.managed_account(account)?;
    let found = email_of(&mut query, user.id, id)?;
    check_unmodified(found.confirmed_at.unwrap_or(found.created_at), unmodified_since)?;
    email::delete(&mut command.tx, &found)?;
    let event = command.event(EventKind::EmailDeleted).user(user.id);
    command.append(&event)
}

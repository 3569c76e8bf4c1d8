//! Adding SSH keys.

use tenon_auth::parse_ssh_key;
use tenon_domain::event::EventKind;
use tenon_domain::field_errors::{BLANK, FieldErrors, TAKEN};
use tenon_domain::hook::SystemEvent;
use tenon_domain::id::SshKeyId;
use tenon_domain::ssh_key::{KeyUsage, PublicKey, SshKey, check};
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_storage::{StoreError, UniqueKey, deploy_key, ssh_key};

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::account::{AccountReference, check_room};
use crate::shared::access::system_event::{self, Key};

/// A key that is about to be added. It is read when this is made, which keeps that out of the transaction.
#[derive(Debug, Clone)]
pub struct NewSshKey {
    title: String,
    text: String,
    public: Option<PublicKey>,
    usage: KeyUsage,
    expires_at: Option<Timestamp>,
}

impl NewSshKey {
    /// Reads `text`. Its problems are reported by [`create`].
    #[must_use]
    pub fn new(title: String, text: String, usage: KeyUsage, expires_at: Option<Timestamp>) -> Self {
        Self { public: parse_ssh_key(&text), title, text, usage, expires_at }
    }
}

/// Adds a key to an account: the caller's own or, for administrators, any. Fails with the problems of the key, if any
/// account or project has it already, and if the account has as many as it may have.
pub fn create(command: &mut Command<'_>, account: AccountReference, new: NewSshKey) -> Result<SshKey, AppError> {
    command.refuse_impersonated()?;
    let mut query = command.query();
    let user = query.extended_account(account)?;
    let restrictions = query.settings()?.key_restrictions;
    let mut errors = check(&new.title, &new.text, new.public.as_ref(), &restrictions);
    if new.expires_at.is_some_and(|end| end <= query.now) {
        errors.add("key", "has expired");
    }
    if let Some(days) = query.settings()?.tokens.most_days_of_keys {
        let last = query.now + TimeDelta::days(days);
        match new.expires_at {
            None => errors.add("expires_at", BLANK),
            Some(end) => errors.require(end <= last, "expires_at", &format!("must be within {days} days")),
        }
    }
    if let Some(public) = &new.public
        && (ssh_key::exists(&mut query.tx, public)? || deploy_key::exists(&mut query.tx, public)?)
    {
        errors.add("fingerprint", TAKEN);
    }
    errors.into_result()?;
    check_room(ssh_key::count(&mut query.tx, user.id)?, query.app.limits().accounts.ssh_keys, "SSH keys")?;
    // A key that could not be read has been refused.
    let Some(public) = new.public else { return Err(FieldErrors::of("key", "is invalid").into()) };
    let mut key = SshKey {
        id: SshKeyId::new(0),
        user: user.id,
        title: new.title,
        text: public.text.clone(),
        usage: new.usage,
        expires_at: new.expires_at,
        created_at: command.now,
        last_used_at: None,
    };
    key.id = ssh_key::insert(&mut command.tx, &key, &public).map_err(taken)?;
    let named = Key { id: key.id.get(), text: &key.text, username: Some(&user.username), created_at: key.created_at };
    system_event::of_key(command, SystemEvent::KeyCreate, named)?;
    let event = command.event(EventKind::SshKeyCreated).user(user.id).detail(key.title.clone());
    command.append(&event)?;
    Ok(key)
}

fn taken(error: StoreError) -> AppError {
    match error {
        StoreError::Unique(UniqueKey::SshKey) => AppError::invalid("fingerprint", TAKEN),
        other => other.into(),
    }
}

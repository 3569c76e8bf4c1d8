//! Adding OpenPGP keys. Checking the signatures in a key takes a while, so it happens before a command and never inside
//! one, if every other writer would wait for it.

use tenon_auth::{GpgKeyLimits, read_gpg_key};
use tenon_domain::event::EventKind;
use tenon_domain::field_errors::{FieldErrors, TAKEN};
use tenon_domain::gpg_key::{GpgKey, GpgKeyProblem, PublicGpgKey, check_text};
use tenon_domain::id::GpgKeyId;
use tenon_storage::{StoreError, UniqueKey, gpg_key};

use crate::core::app::{App, Command};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::policy::account::{AccountReference, check_room};

/// A key that a command can add.
#[derive(Debug, Clone)]
pub struct NewGpgKey {
    text: String,
    public: Result<PublicGpgKey, FieldErrors>,
}

impl App {
    /// Reads and checks a key, for callers only who may add it to the account, because it is expensive. Problems of the
    /// key are reported by [`create`].
    pub async fn new_gpg_key(
        &self,
        identity: &Identity,
        account: AccountReference,
        text: &str,
    ) -> Result<NewGpgKey, AppError> {
        self.read(identity, move |query| query.extended_account(account).map(drop)).await?;
        let limits = self.limits().accounts.clone();
        let text = text.trim().to_owned();
        let errors = check_text(&text, usize::try_from(limits.gpg_key).unwrap_or(usize::MAX));
        if !errors.is_empty() {
            return Ok(NewGpgKey { text, public: Err(errors) });
        }
        self.on_password(move || {
            let limits = GpgKeyLimits { parts: limits.gpg_key_parts, checks: limits.gpg_key_checks };
            let public = read_gpg_key(&text, &limits).map_err(GpgKeyProblem::errors);
            Ok(NewGpgKey { text, public })
        })
        .await
    }
}

/// Adds a key to an account: the caller's own or, for administrators, any. Fails with the problems of the key, if any
/// account has it already, and if the account has as many as it may have.
pub fn create(command: &mut Command<'_>, account: AccountReference, new: NewGpgKey) -> Result<GpgKey, AppError> {
    command.refuse_impersonated()?;
    let mut query = command.query();
    let user = query.extended_account(account)?;
    let public = new.public?;
    if let Some(stored) = gpg_key::find_same(&mut query.tx, &public.primary)? {
        return Err(taken(stored == new.text));
    }
    check_room(gpg_key::count(&mut query.tx, user.id)?, query.app.limits().accounts.gpg_keys, "GPG keys")?;
    let mut key = GpgKey { id: GpgKeyId::new(0), user: user.id, text: new.text, created_at: command.now };
    key.id = gpg_key::insert(&mut command.tx, &key, &public).map_err(|error| match error {
        StoreError::Unique(UniqueKey::GpgKey) => taken(false),
        other => other.into(),
    })?;
    let event = command.event(EventKind::GpgKeyCreated).user(user.id).detail(public.primary.fingerprint);
    command.append(&event)?;
    Ok(key)
}

/// A key that an account has, in the same block or in another one.
fn taken(same_block: bool) -> AppError {
    if same_block {
        return AppError::invalid("key", TAKEN);
    }
    let mut errors = FieldErrors::of("fingerprint", TAKEN);
    errors.add("primary_keyid", TAKEN);
    errors.into()
}

//! Removing OpenPGP keys.

use tenon_domain::event::EventKind;
use tenon_domain::id::GpgKeyId;
use tenon_domain::time::Timestamp;
use tenon_storage::gpg_key;

use super::key_of;
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::account::AccountReference;
use crate::policy::precondition::check_unmodified;

/// Removes a key of an account: the caller's own or, for administrators, any.
pub fn delete(
    command: &mut Command<'_>,
    account: AccountReference,
    id: GpgKeyId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let mut query = command.query();
    let user = query.managed_account(account)?;
    let key = key_of(&mut query, user.id, id)?;
    check_unmodified(key.created_at, unmodified_since)?;
    gpg_key::delete(&mut command.tx, id)?;
    let event = command.event(EventKind::GpgKeyDeleted).user(user.id);
    command.append(&event)
}

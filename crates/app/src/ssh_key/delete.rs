//! Removing SSH keys.

use tenon_domain::event::EventKind;
use tenon_domain::hook::SystemEvent;
use tenon_domain::id::SshKeyId;
use tenon_domain::time::Timestamp;
use tenon_storage::ssh_key;

use super::key_of;
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::account::AccountReference;
use crate::policy::precondition::check_unmodified;
use crate::shared::access::system_event::{self, Key};

/// Removes a key of an account: the caller's own or, for administrators, any.
pub fn delete(
    command: &mut Command<'_>,
    account: AccountReference,
    id: SshKeyId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let mut query = command.query();
    let user = query.managed_account(account)?;
    let key = key_of(&mut query, user.id, id)?;
    check_unmodified(key.created_at, unmodified_since)?;
    ssh_key::delete(&mut command.tx, id)?;
    let named = Key { id: id.get(), text: &key.text, username: Some(&user.username), created_at: key.created_at };
    system_event::of_key(command, SystemEvent::KeyDestroy, named)?;
    let event = command.event(EventKind::SshKeyDeleted).user(user.id);
    command.append(&event)
}

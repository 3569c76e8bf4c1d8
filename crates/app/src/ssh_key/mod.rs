//! SSH keys of users.

mod create;
mod delete;
mod read;

pub use create::{NewSshKey, create};
pub use delete::delete;
pub use read::{find, find_by_fingerprint, is_asked_for, list, list_of, show, show_of};

pub use tenon_domain::ssh_key::{KeyUsage, SshKey};

use tenon_domain::id::{SshKeyId, UserId};

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};

const MISSING: AppError = AppError::NotFound(Missing::SshKey);

/// The key of that id, if it is this user's.
fn key_of(query: &mut Query<'_>, user: UserId, id: SshKeyId) -> Result<SshKey, AppError> {
    let found = tenon_storage::ssh_key::find(&mut query.tx, id)?;
    found.filter(|key| key.user == user).ok_or(MISSING)
}

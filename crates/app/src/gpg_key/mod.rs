//! OpenPGP keys of users.

mod create;
mod delete;
mod read;

pub use create::{NewGpgKey, create};
pub use delete::delete;
pub use read::{list, list_of, show};

pub use tenon_domain::gpg_key::GpgKey;

use tenon_domain::id::{GpgKeyId, UserId};

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};

/// The key of that id, if it is this user's.
fn key_of(query: &mut Query<'_>, user: UserId, id: GpgKeyId) -> Result<GpgKey, AppError> {
    let found = tenon_storage::gpg_key::find(&mut query.tx, id)?;
    found.filter(|key| key.user == user).ok_or(AppError::NotFound(Missing::GpgKey))
}

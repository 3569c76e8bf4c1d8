//! Addresses of users beside the primary one.

use crate::id::{EmailId, UserId};
use crate::time::Timestamp;

/// A secondary address of a user. No two accounts have the same address, as primary or as secondary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Email {
    /// Unique over the whole server.
    pub id: EmailId,
    /// Whose it is.
    pub user: UserId,
    /// The address, as `normalise_email` makes it.
    pub address: String,
    /// When it was confirmed. Until then it stands for no one.
    pub confirmed_at: Option<Timestamp>,
    /// When it was added.
    pub created_at: Timestamp,
}

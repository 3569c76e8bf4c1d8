//! Deploy keys: SSH keys that open projects, and belong to no account.

use crate::id::{DeployKeyId, UserId};
use crate::time::Timestamp;

/// A key that opens projects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeployKey {
    /// Unique over the whole server.
    pub id: DeployKeyId,
    /// Who has added it; `None` if that account is gone.
    pub owner: Option<UserId>,
    /// Its title; need not be unique.
    pub title: String,
    /// Type, key in Base64 and the first word of the comment.
    pub text: String,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A key as a project has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnabledKey {
    /// The key.
    pub key: DeployKey,
    /// True if it opens the project for pushes as well.
    pub can_push: bool,
}

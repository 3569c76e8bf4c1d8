//! Groups (specification 3, Group).

mod ability;
mod rules;

pub use ability::{GroupAction, GroupStanding, decide};
pub use rules::{check, visibility_above_parent, visibility_restricted};

use crate::avatar::Avatar;
use crate::id::NamespaceId;
use crate::namespace::Namespace;
use crate::time::Timestamp;
use crate::visibility::Visibility;

/// A group: a namespace with members, subgroups and projects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Id, names and paths.
    pub namespace: Namespace,
    /// What it is for; empty when never set.
    pub description: String,
    /// Whether LFS is on for its projects.
    pub lfs_enabled: bool,
    /// Whether strangers may ask to become members.
    pub request_access_enabled: bool,
    /// Whether its projects may be shared with other groups.
    pub share_with_group_lock: bool,
    /// The picture, where one was uploaded.
    pub avatar: Option<Avatar>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Group {
    /// The group's id, which is its namespace's id.
    #[must_use]
    pub const fn id(&self) -> NamespaceId {
        self.namespace.id
    }

    /// How open it is.
    #[must_use]
    pub const fn visibility(&self) -> Visibility {
        self.namespace.visibility
    }
}

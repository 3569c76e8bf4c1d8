//! Groups.

mod ability;
mod inherited_settings;
mod rules;
pub mod setting;

pub use ability::{GroupAction, GroupFacts, GroupStanding, decide};
pub use inherited_settings::{InheritedSettings, MergeRequirements};
pub use rules::{check, check_settings, visibility_above_parent, visibility_restricted};

use crate::id::NamespaceId;
use crate::namespace::Namespace;
use crate::settings::{DefaultBranchProtection, Values};
use crate::time::Timestamp;
use crate::visibility::Visibility;

/// A group: a namespace with members, subgroups and projects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Id, names and paths.
    pub namespace: Namespace,
    /// Its description; empty when never set.
    pub description: String,
    /// True if LFS is on for its projects.
    pub lfs_enabled: bool,
    /// True if strangers may ask to become members.
    pub request_access_enabled: bool,
    /// True if its projects may be shared with other groups.
    pub share_with_group_lock: bool,
    /// True if its members are to have a second factor. Kept for clients: there is no second factor yet.
    pub require_two_factor_authentication: bool,
    /// For how many hours they may do without.
    pub two_factor_grace_period: i64,
    /// How the default branches of its new projects are protected; as the server's settings say if absent.
    pub default_branch_protection: Option<DefaultBranchProtection>,
    /// Its settings in the table ([`setting::SETTINGS`]).
    pub settings: Values,
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

    /// The facts that decide about it, besides the caller's standing.
    #[must_use]
    pub const fn facts(&self) -> GroupFacts {
        GroupFacts { visibility: self.namespace.visibility, creation: self.namespace.creation }
    }

    /// How open it is.
    #[must_use]
    pub const fn visibility(&self) -> Visibility {
        self.namespace.visibility
    }
}

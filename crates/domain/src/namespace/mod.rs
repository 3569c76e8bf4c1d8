//! Namespaces: the owners of the paths of projects.

mod creation;

pub use creation::{Creation, CreationLevel};

use crate::access::{Decision, Viewer};
use crate::avatar::Avatar;
use crate::id::{NamespaceId, UserId};
use crate::network::{Networks, Origin};
use crate::visibility::Visibility;

/// The kind of owner of a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NamespaceKind {
    /// A user's personal namespace.
    User,
    /// A group.
    Group,
}

impl NamespaceKind {
    /// The word in the API and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Group => "group",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::User, Self::Group].into_iter().find(|kind| kind.as_str() == text)
    }
}

/// The fields of every namespace, of a user or of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Namespace {
    /// Its id; for a group, the group's id.
    pub id: NamespaceId,
    /// User or group.
    pub kind: NamespaceKind,
    /// The user whose personal namespace it is.
    pub owner: Option<UserId>,
    /// The group above, for subgroups.
    pub parent: Option<NamespaceId>,
    /// Display name.
    pub name: String,
    /// Last segment of the path.
    pub path: String,
    /// The whole path, segments joined by `/`.
    pub full_path: String,
    /// The display names from the top down, joined by ` / `.
    pub full_name: String,
    /// How open it is; a personal namespace is public.
    pub visibility: Visibility,
    /// Who may put something into a group.
    pub creation: Creation,
    /// The picture of a group, if one was uploaded. A personal namespace has its owner's.
    pub avatar: Option<Avatar>,
    /// The addresses from which the group at the top is reached with all that is below it; from everywhere if absent.
    pub ip_ranges: Option<String>,
}

impl Namespace {
    /// The full path of what is called `path` in it.
    #[must_use]
    pub fn path_of(&self, path: &str) -> String {
        format!("{}/{path}", self.full_path)
    }

    /// Decides whether it and what is in it is there for somebody who calls from `origin`. It always is for administrators,
    /// so that no range can lock them out. Ranges that cannot be read admit no one else.
    #[must_use]
    pub fn admits(&self, viewer: Viewer, origin: Origin) -> Decision {
        let Some(ranges) = self.ip_ranges.as_deref().filter(|_| !viewer.is_admin()) else { return Decision::Allow };
        let is_admitted = Networks::parse_list(ranges).is_ok_and(|networks| networks.admit(origin));
        if is_admitted { Decision::Allow } else { Decision::Hide }
    }
}

/// How many groups may stand above a group.
pub const MAX_ANCESTORS: usize = 20;

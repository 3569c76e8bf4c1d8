//! Projects and groups alike.

use crate::access::AccessLevel;
use crate::id::{NamespaceId, ProjectId};

/// A project or a group: both have members, labels and milestones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Container {
    /// A project.
    Project(ProjectId),
    /// A group. Labels and milestones of a group serve everything below it, and its members are members there.
    Group(NamespaceId),
}

impl Container {
    /// The project, if it is one.
    #[must_use]
    pub const fn project(self) -> Option<ProjectId> {
        match self {
            Self::Project(id) => Some(id),
            Self::Group(_) => None,
        }
    }

    /// The group, if it is one.
    #[must_use]
    pub const fn group(self) -> Option<NamespaceId> {
        match self {
            Self::Group(id) => Some(id),
            Self::Project(_) => None,
        }
    }

    /// The highest level that its members and the groups it is shared with get: only groups have owners. The owner of a
    /// project is who owns its namespace.
    #[must_use]
    pub const fn highest_level(self) -> AccessLevel {
        match self {
            Self::Project(_) => AccessLevel::Maintainer,
            Self::Group(_) => AccessLevel::Owner,
        }
    }
}

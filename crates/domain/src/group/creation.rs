//! From which level on members may put something into a group.

use crate::access::{AccessLevel, Standing};

/// From which level on members may put something into a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CreationLevel {
    /// No member may, and no administrator.
    NoOne,
    /// Owners.
    Owner,
    /// Maintainers and owners.
    Maintainer,
    /// Developers, maintainers and owners.
    Developer,
}

impl CreationLevel {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::NoOne, Self::Owner, Self::Maintainer, Self::Developer];

    /// The word in the API and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoOne => "noone",
            Self::Owner => "owner",
            Self::Maintainer => "maintainer",
            Self::Developer => "developer",
        }
    }

    /// The level of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == text)
    }

    /// Whether it is enough to stand so towards the group.
    pub(super) fn admits(self, standing: &Standing) -> bool {
        match self {
            Self::NoOne => false,
            Self::Owner => standing.at_least(AccessLevel::Owner),
            Self::Maintainer => standing.at_least(AccessLevel::Maintainer),
            Self::Developer => standing.at_least(AccessLevel::Developer),
        }
    }
}

/// Who may put projects and groups into a group. Every group has its own: those above do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Creation {
    /// Projects.
    pub projects: CreationLevel,
    /// Groups.
    pub subgroups: CreationLevel,
}

impl Default for Creation {
    fn default() -> Self {
        Self { projects: CreationLevel::Maintainer, subgroups: CreationLevel::Owner }
    }
}

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

    /// The level of a new group by the number of the setting `default_project_creation`. 3 means
    /// administrators alone, for whom groups have no level.
    #[must_use]
    pub const fn of_setting(number: i64) -> Self {
        match number {
            1 => Self::Maintainer,
            2 => Self::Developer,
            4 => Self::Owner,
            _ => Self::NoOne,
        }
    }

    /// The level of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == text)
    }

    /// True if it is enough to stand so towards the group.
    pub(crate) fn admits(self, standing: &Standing) -> bool {
        self.least().is_some_and(|level| standing.at_least(level))
    }

    /// The lowest level that is enough; none if no level is.
    #[must_use]
    pub const fn least(self) -> Option<AccessLevel> {
        match self {
            Self::NoOne => None,
            Self::Owner => Some(AccessLevel::Owner),
            Self::Maintainer => Some(AccessLevel::Maintainer),
            Self::Developer => Some(AccessLevel::Developer),
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

#[cfg(test)]
mod tests {
    use super::CreationLevel;

    #[test]
    fn new_groups_follow_the_number_of_the_setting() {
        let want = [
            CreationLevel::NoOne,
            CreationLevel::Maintainer,
            CreationLevel::Developer,
            CreationLevel::NoOne,
            CreationLevel::Owner,
        ];
        assert_eq!([0, 1, 2, 3, 4].map(CreationLevel::of_setting), want);
    }
}

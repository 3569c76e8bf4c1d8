//! Access levels.

/// The levels that a membership or share grants, from little to much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessLevel {
    /// 10: sees the project and talks in it.
    Guest,
    /// 20: reads code and manages issues.
    Reporter,
    /// 30: writes code.
    Developer,
    /// 40: manages the project.
    Maintainer,
    /// 50: owns the group.
    Owner,
}

impl AccessLevel {
    /// All of them, from little to much.
    pub const ALL: [Self; 5] = [Self::Guest, Self::Reporter, Self::Developer, Self::Maintainer, Self::Owner];

    /// The number used in the API and in the database.
    #[must_use]
    pub const fn value(self) -> i64 {
        match self {
            Self::Guest => 10,
            Self::Reporter => 20,
            Self::Developer => 30,
            Self::Maintainer => 40,
            Self::Owner => 50,
        }
    }

    /// The name under which people know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Guest => "Guest",
            Self::Reporter => "Reporter",
            Self::Developer => "Developer",
            Self::Maintainer => "Maintainer",
            Self::Owner => "Owner",
        }
    }

    /// The level of that number; other numbers are no level.
    #[must_use]
    pub fn from_value(value: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.value() == value)
    }
}

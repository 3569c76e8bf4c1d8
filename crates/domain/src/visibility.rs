//! Who may see a project or group without being a member of it.

/// How open a project or group is, from closed to open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    /// Members only.
    Private,
    /// Everyone who is signed in, except external users.
    Internal,
    /// Everyone.
    Public,
}

impl Visibility {
    /// All of them, from closed to open.
    pub const ALL: [Self; 3] = [Self::Private, Self::Internal, Self::Public];

    /// The word used in the API and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Internal => "internal",
            Self::Public => "public",
        }
    }

    /// The number that hooks send for it.
    #[must_use]
    pub const fn level(self) -> i64 {
        match self {
            Self::Private => 0,
            Self::Internal => 10,
            Self::Public => 20,
        }
    }

    /// The visibility of that name; names are case-sensitive.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|visibility| visibility.as_str() == text)
    }
}

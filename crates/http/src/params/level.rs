//! Access levels as parameters.

use tenon_domain::access::AccessLevel;

use crate::params::{Choice, choice};

impl Choice for AccessLevel {
    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().and_then(Self::from_value)
    }

    fn names() -> Vec<&'static str> {
        vec!["10", "20", "30", "40", "50"]
    }
}

choice! {
    /// A level that a share may give: everything but owner.
    pub(crate) enum SharedLevel {
        /// Guest.
        Guest = "10",
        /// Reporter.
        Reporter = "20",
        /// Developer.
        Developer = "30",
        /// Maintainer.
        Maintainer = "40",
    }
}

impl From<SharedLevel> for AccessLevel {
    fn from(level: SharedLevel) -> Self {
        match level {
            SharedLevel::Guest => Self::Guest,
            SharedLevel::Reporter => Self::Reporter,
            SharedLevel::Developer => Self::Developer,
            SharedLevel::Maintainer => Self::Maintainer,
        }
    }
}

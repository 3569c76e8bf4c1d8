//! Access levels as parameters.

use serde_json::Value;
use tenon_domain::access::AccessLevel;
use utoipa::openapi::Schema;

use super::{Choice, Reading, Scalar, choice};

impl Choice for AccessLevel {
    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().and_then(Self::from_value)
    }

    fn names() -> Vec<&'static str> {
        vec!["10", "20", "30", "40", "50"]
    }
}

/// The number of a level. `None` for another number, which the use case refuses as an invalid field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LevelNumber(pub(crate) Option<AccessLevel>);

impl Scalar for LevelNumber {
    fn scalar(value: &Value) -> Reading<Self> {
        match i64::scalar(value) {
            Reading::Is(number) => Reading::Is(Self(AccessLevel::from_value(number))),
            Reading::Empty => Reading::Empty,
            Reading::Wrong => Reading::Wrong,
        }
    }

    fn schema() -> Schema {
        i64::schema()
    }
}

choice! {
    /// The levels that a share can grant: all but owner.
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

//! The value of one setting.

use std::fmt;

use super::branch_protection::DefaultBranchProtection;

/// The value of one setting. Decimals are texts, as the API writes them.
#[derive(Clone, PartialEq, Eq)]
pub enum Value {
    /// No value.
    Null,
    /// On or off.
    Switch(bool),
    /// A whole number.
    Number(i64),
    /// A text, a word or a decimal.
    Text(String),
    /// A list.
    List(Vec<String>),
}

/// Texts may be secrets: only their length is shown.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("Null"),
            Self::Switch(on) => write!(f, "Switch({on})"),
            Self::Number(number) => write!(f, "Number({number})"),
            Self::Text(text) => write!(f, "Text({} bytes)", text.len()),
            Self::List(items) => f.debug_tuple("List").field(items).finish(),
        }
    }
}

impl Value {
    /// The value of a setting of the kind [`super::Kind::BranchProtection`].
    #[must_use]
    pub fn of_branch_protection(protection: &DefaultBranchProtection) -> Self {
        let stored = protection.stored();
        stored.parse().map_or_else(|_no_number| Self::Text(stored), Self::Number)
    }

    /// The protection of default branches that this value is, if it is one.
    #[must_use]
    pub fn branch_protection(&self) -> Option<DefaultBranchProtection> {
        match self {
            Self::Number(level) => DefaultBranchProtection::of_level(*level),
            Self::Text(stored) => DefaultBranchProtection::parse(stored),
            Self::Null | Self::Switch(_) | Self::List(_) => None,
        }
    }

    /// True if it says nothing: no value, or a text of white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Text(text) => text.trim().is_empty(),
            Self::List(items) => items.is_empty(),
            Self::Switch(_) | Self::Number(_) => false,
        }
    }
}

//! How requests name projects, groups and namespaces.

/// A project, group or namespace as a request names it: by number or by full path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// Only digits.
    Id(i64),
    /// Anything else.
    Path(String),
}

impl Reference {
    /// Reads an `:id`. Digits that are too many for a number name nothing.
    pub fn parse(text: &str) -> Self {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Self::Path(text.to_owned());
        }
        Self::Id(text.parse().unwrap_or(0))
    }
}

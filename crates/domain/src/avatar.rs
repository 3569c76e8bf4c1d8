//! Pictures of users, groups and projects.

/// A stored picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Avatar {
    /// The random name under which its bytes are stored.
    pub key: String,
    /// The name under which it is served.
    pub file_name: String,
}

impl Avatar {
    /// Reads what [`std::fmt::Display`] writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (key, file_name) = text.split_once('/')?;
        Some(Self { key: key.to_owned(), file_name: file_name.to_owned() })
    }
}

impl std::fmt::Display for Avatar {
    /// The form in which the database keeps it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.key, self.file_name)
    }
}

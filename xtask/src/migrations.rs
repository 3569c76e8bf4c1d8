//! The names of migrations, and their scripts.

/// The folders under `migrations/`.
pub(crate) const DIALECTS: [&str; 2] = ["sqlite", "postgres"];
/// The scripts of a migration.
pub(crate) const FILES: [&str; 2] = ["up.sql", "down.sql"];

/// Lower-case words joined by underscores, beginning with a letter.
pub(crate) fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_joined_by_underscores() {
        for (name, want) in
            [("add_issue_weight", true), ("v2", true), ("2nd", false), ("Add", false), ("a/b", false), ("", false)]
        {
            assert_eq!(is_name(name), want, "{name}");
        }
    }
}

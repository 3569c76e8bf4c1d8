//! How a user wants pages to be shown.

/// How a user wants pages to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preferences {
    /// Diffs show one file at a time.
    pub view_diffs_file_by_file: bool,
    /// Diffs show changes of white space.
    pub show_whitespace_in_diffs: bool,
    /// Tokens of CI jobs name the user's accounts elsewhere. There is no CI yet.
    pub pass_user_identities_to_ci_jwt: bool,
}

impl Default for Preferences {
    fn default() -> Self {
        Self { view_diffs_file_by_file: false, show_whitespace_in_diffs: true, pass_user_identities_to_ci_jwt: false }
    }
}

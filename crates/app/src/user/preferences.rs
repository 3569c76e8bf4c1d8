//! How a user wants pages to be shown.

use tenon_domain::user::Preferences;
use tenon_storage::user;

use crate::core::app::{Command, Query};
use crate::core::error::AppError;

/// Changes of preferences; `None` leaves one as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct PreferencesChange {
    /// Diffs show one file at a time.
    pub view_diffs_file_by_file: Option<bool>,
    /// Diffs show changes of white space.
    pub show_whitespace_in_diffs: Option<bool>,
    /// Tokens of CI jobs name the user's accounts elsewhere.
    pub pass_user_identities_to_ci_jwt: Option<bool>,
}

/// The preferences of the caller.
pub fn preferences(query: &mut Query<'_>) -> Result<Preferences, AppError> {
    let user = query.user()?.id;
    Ok(user::preferences(&mut query.tx, user)?.unwrap_or_default())
}

/// Changes the preferences of the caller.
pub fn change_preferences(command: &mut Command<'_>, change: PreferencesChange) -> Result<Preferences, AppError> {
    let (user, before) = (command.user()?.id, preferences(&mut command.query())?);
    let after = Preferences {
        view_diffs_file_by_file: change.view_diffs_file_by_file.unwrap_or(before.view_diffs_file_by_file),
        show_whitespace_in_diffs: change.show_whitespace_in_diffs.unwrap_or(before.show_whitespace_in_diffs),
        pass_user_identities_to_ci_jwt: change
            .pass_user_identities_to_ci_jwt
            .unwrap_or(before.pass_user_identities_to_ci_jwt),
    };
    user::set_preferences(&mut command.tx, user, after)?;
    Ok(after)
}

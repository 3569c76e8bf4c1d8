//! How a user wants pages to be shown, as JSON.

use serde::Serialize;
use tenon_domain::id::UserId;
use tenon_domain::user::Preferences;
use utoipa::ToSchema;

/// The display preferences of a user.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PreferencesDto {
    /// The user's id.
    id: i64,
    user_id: i64,
    /// True if diffs show one file at a time.
    view_diffs_file_by_file: bool,
    /// True if diffs show changes of white space.
    show_whitespace_in_diffs: bool,
    pass_user_identities_to_ci_jwt: bool,
}

impl From<(UserId, Preferences)> for PreferencesDto {
    fn from((user, preferences): (UserId, Preferences)) -> Self {
        Self {
            id: user.get(),
            user_id: user.get(),
            view_diffs_file_by_file: preferences.view_diffs_file_by_file,
            show_whitespace_in_diffs: preferences.show_whitespace_in_diffs,
            pass_user_identities_to_ci_jwt: preferences.pass_user_identities_to_ci_jwt,
        }
    }
}

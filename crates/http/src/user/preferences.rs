//! How users want pages to be shown.

use tenon_app::user::{self, PreferencesChange};

use crate::dto::user_preferences::PreferencesDto;
use crate::endpoint::{Call, Json};
use crate::params::params;
use tenon_edge::error::ApiError;

params! {
    /// Changes of preferences.
    pub(crate) struct PreferencesParams {
        /// True if diffs show one file at a time.
        view_diffs_file_by_file: Option<bool>,
        /// True if diffs show changes of white space.
        show_whitespace_in_diffs: Option<bool>,
        /// Stored, without effect: there is no CI yet.
        pass_user_identities_to_ci_jwt: Option<bool>,
    }
    rules(reader) {
        reader.at_least_one_of(&[
            "view_diffs_file_by_file",
            "show_whitespace_in_diffs",
            "pass_user_identities_to_ci_jwt",
        ]);
    }
}

pub(super) async fn own(call: Call<()>) -> Result<Json<PreferencesDto>, ApiError> {
    let preferences = call.read(|query| Ok((query.user()?.id, user::preferences(query)?))).await?;
    Ok(Json(preferences.into()))
}

pub(super) async fn change(Call { caller, params }: Call<PreferencesParams>) -> Result<Json<PreferencesDto>, ApiError> {
    let change = PreferencesChange {
        view_diffs_file_by_file: params.view_diffs_file_by_file,
        show_whitespace_in_diffs: params.show_whitespace_in_diffs,
        pass_user_identities_to_ci_jwt: params.pass_user_identities_to_ci_jwt,
    };
    let changed =
        caller.write(move |command| Ok((command.user()?.id, user::change_preferences(command, change)?))).await?;
    Ok(Json(changed.into()))
}

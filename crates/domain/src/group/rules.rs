//! The rules for the fields of a group.

use super::setting::{SETTINGS, TOP_LEVEL_ONLY};
use crate::field_errors::FieldErrors;
use crate::path::{self, Place};
use crate::settings::Values;
use crate::user::path_message;
use crate::visibility::Visibility;

/// Notes what is wrong with name, path and description of a group at `place`.
pub fn check(errors: &mut FieldErrors, place: Place, name: &str, path: &str, description: &str) {
    errors.present("name", name);
    errors.at_most(255, "name", name);
    let allowed = |c: char| c.is_alphanumeric() || c.is_whitespace() || matches!(c, '_' | '.' | '-' | '–' | '—');
    errors.require(
        name.chars().all(allowed) && !name.chars().any(char::is_control),
        "name",
        "can contain only letters, digits, '_', '.', dash and space.",
    );
    if let Err(problem) = path::check(path, place) {
        errors.add("path", path_message(path, problem));
    }
    errors.at_most(255, "description", description);
}

/// Notes what is wrong with the settings of a group at `place`.
pub fn check_settings(errors: &mut FieldErrors, place: Place, settings: &Values) {
    for setting in SETTINGS {
        if let Some(problem) = setting.kind.problem(&settings.of(setting)) {
            errors.add(setting.name, problem);
        }
    }
    for setting in TOP_LEVEL_ONLY.iter().filter(|_| place == Place::Below) {
        errors.require(
            *settings.of(setting) == setting.default.value(),
            setting.name,
            "is only possible for a group at the top",
        );
    }
}

/// The message for a group that is more open than the group above it; `None` if that is not so.
#[must_use]
pub fn visibility_above_parent(visibility: Visibility, parent: Visibility) -> Option<String> {
    (visibility > parent).then(|| {
        format!("{} is not allowed since the parent group has a {} visibility.", visibility.as_str(), parent.as_str())
    })
}

/// The message for a level that administrators have reserved for themselves.
#[must_use]
pub fn visibility_restricted(visibility: Visibility) -> String {
    format!("{} has been restricted by your administrator", visibility.as_str())
}

//! The statuses of users at the moment.

use tenon_domain::field_errors::FieldErrors;
use tenon_domain::user::UserAction;
use tenon_storage::user::{self, Status};

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::policy::reference::Reference;

/// The emoji of a status that names none.
const DEFAULT_EMOJI: &str = "speech_balloon";

/// The status of the caller, if one is set.
pub fn own_status(query: &mut Query<'_>) -> Result<Option<Status>, AppError> {
    let user = query.user()?.id;
    Ok(user::status(&mut query.tx, user)?)
}

/// The status of a user, named by id or user name.
pub fn status(query: &mut Query<'_>, reference: &Reference) -> Result<Option<Status>, AppError> {
    let user = query.account_named(reference, UserAction::Read)?;
    Ok(user::status(&mut query.tx, user.id)?)
}

/// Replaces only those parts of the caller's status that are given.
pub fn change_status(
    command: &mut Command<'_>,
    emoji: Option<String>,
    message: Option<String>,
) -> Result<Option<Status>, AppError> {
    let current = own_status(&mut command.query())?;
    let (old_emoji, old_message) = current.map(|status| (status.emoji, status.message)).unwrap_or_default();
    set_status(command, &emoji.unwrap_or(old_emoji), &message.unwrap_or(old_message))
}

/// Replaces the caller's status; with neither emoji nor message it is cleared, and `None` comes back.
pub fn set_status(command: &mut Command<'_>, emoji: &str, message: &str) -> Result<Option<Status>, AppError> {
    let user = command.user()?.id;
    if emoji.is_empty() && message.is_empty() {
        user::clear_status(&mut command.tx, user)?;
        return Ok(None);
    }
    let emoji = if emoji.is_empty() { DEFAULT_EMOJI } else { emoji };
    let mut errors = FieldErrors::default();
    errors.require(emojis::get_by_shortcode(emoji).is_some(), "emoji", "is not included in the list");
    errors.at_most(100, "message", message);
    errors.into_result()?;
    let status = Status { emoji: emoji.to_owned(), message: message.to_owned() };
    user::set_status(&mut command.tx, user, &status)?;
    Ok(Some(status))
}

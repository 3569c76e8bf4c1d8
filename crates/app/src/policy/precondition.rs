//! Conditions that a client sets for a change.

use tenon_auth::digest;
use tenon_domain::issuable::Issuable;
use tenon_domain::quick_action::Extracted;
use tenon_domain::time::Timestamp;

use crate::core::error::AppError;

/// Refuses a change to what was updated after the moment that the client names (If-Unmodified-Since). HTTP dates have
/// whole seconds, so the comparison has, too.
pub(crate) fn check_unmodified(updated_at: Timestamp, unmodified_since: Option<Timestamp>) -> Result<(), AppError> {
    match unmodified_since {
        Some(since) if updated_at.timestamp() > since.timestamp() => Err(AppError::Stale),
        Some(_) | None => Ok(()),
    }
}

/// The digest of the title and the description of an issue or merge request.
pub(crate) fn text_version(issuable: &Issuable) -> String {
    digest(&format!("{}\n{}", issuable.title, issuable.description.as_deref().unwrap_or_default()))
}

/// Refuses a change if the caller has read a title or a description that are not there any more, unless those that are
/// there are the wanted ones: a form may be sent twice.
pub(crate) fn check_text(
    issuable: &Issuable,
    seen: Option<&str>,
    title: Option<&str>,
    description: Option<&Extracted>,
) -> Result<(), AppError> {
    let is_there = title.is_none_or(|title| title.trim() == issuable.title)
        && description.is_none_or(|given| {
            given.actions.is_empty() && given.text == issuable.description.as_deref().unwrap_or_default()
        });
    match seen {
        Some(seen) if seen != text_version(issuable) && !is_there => Err(AppError::Stale),
        Some(_) | None => Ok(()),
    }
}

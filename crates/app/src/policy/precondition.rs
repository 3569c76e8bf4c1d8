//! Conditions that a client sets for a change.

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

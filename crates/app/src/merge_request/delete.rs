//! Deleting merge requests (reference: issues-merge-requests-projects, section 6.8).

use tenon_domain::event::EventKind;
use tenon_domain::issuable::IssuableAction;
use tenon_domain::time::Timestamp;
use tenon_storage::issuable;

use crate::access::check_unmodified;
use crate::context::Command;
use crate::error::AppError;
use crate::issuable::{IssuableReference, tell_event};

/// Deletes a merge request; owners only. Its branches stay, and its number is not used again.
pub fn delete(
    command: &mut Command<'_>,
    of: &IssuableReference,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let found = command.query().issuable(of, IssuableAction::Administer)?;
    check_unmodified(found.issuable.updated_at, unmodified_since)?;
    let now = command.now;
    issuable::delete(&mut command.tx, &found.issuable, now)?;
    tell_event(command, &found.issuable, EventKind::MergeRequestDeleted)
}

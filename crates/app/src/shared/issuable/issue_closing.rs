//! Closing an issue because something says so: a commit that has reached the default branch, or a merge request.

use tenon_domain::id::{IssuableId, NoteId};
use tenon_domain::issuable::{State, StateEvent};

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::issuable::AuthorizedIssuable;
use crate::shared::issuable::aggregate::{NotedByCaller, change_state, save_changes_with};
use crate::shared::issuable::system_notes;
use crate::shared::issuable_aggregate::IssuableAggregate;

/// Closes an issue as the caller, who must have been found to be permitted; `note` says why, and names `refers_to`.
/// Yields the note, nothing if the issue was closed already.
pub(crate) fn close_because(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    note: String,
    refers_to: Option<IssuableId>,
) -> Result<Option<NoteId>, AppError> {
    if found.issuable.state != State::Opened {
        return Ok(None);
    }
    let before = IssuableAggregate::load(command, &found.issuable)?;
    let mut after = before.clone();
    let user = command.user()?.id;
    change_state(&mut after, StateEvent::Close, user, command.now);
    save_changes_with(command, found, &before, after, None, NotedByCaller::State)?;
    system_notes::insert(command, found.issuable.id, user, note, refers_to).map(Some)
}

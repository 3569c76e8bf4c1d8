//! Closing an issue because something says so: a commit that has reached the default branch, or a merge request.

use tenon_domain::id::NoteId;
use tenon_domain::issuable::{State, StateEvent};

use super::actions::change_state;
use super::found::FoundIssue;
use super::whole::{StateNote, Whole, store_with};
use crate::context::Command;
use crate::error::AppError;
use crate::issuable::system_note;

/// Closes an issue as the caller, who must have been found to be permitted; `note` says why. Yields the note, nothing where the
/// issue was closed already.
pub(crate) fn close_because(
    command: &mut Command<'_>,
    found: &FoundIssue,
    note: String,
) -> Result<Option<NoteId>, AppError> {
    if found.issue.state != State::Opened {
        return Ok(None);
    }
    let before = Whole::load(command, &found.issue)?;
    let mut after = before.clone();
    let user = command.user()?.id;
    change_state(&mut after, StateEvent::Close, user, command.now);
    store_with(command, found, &before, after, None, StateNote::LeftToCaller)?;
    system_note::insert(command, found.issue.id, user, note, None).map(Some)
}

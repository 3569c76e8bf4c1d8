//! Resolving discussions of merge requests.

use tenon_domain::id::NoteId;
use tenon_domain::issuable::IssuableAction;
use tenon_domain::note::{Note, Resolution};
use tenon_storage::note;

use super::discussion::{DiscussionView, thread};
use super::view::{NoteView, one, views};
use crate::core::app::Command;
use crate::core::error::{AppError, Missing};
use crate::policy::issuable::IssuableReference;
use crate::shared::issuable::notes::{find, readable};
use crate::shared::issuable::open_discussions::{check, is_resolvable, note_if_all_resolved};

/// Resolves a discussion, or opens it again. Only discussions of merge requests can be resolved.
pub fn resolve(
    command: &mut Command<'_>,
    of: &IssuableReference,
    id: &str,
    resolved: bool,
) -> Result<DiscussionView, AppError> {
    let (found, filter) = readable(&mut command.query(), of, IssuableAction::Read)?;
    let mut notes = note::discussion(&mut command.tx, &filter, id)?;
    if notes.is_empty() {
        return Err(AppError::NotFound(Missing::Discussion));
    }
    check(&found, &notes)?;
    let mut has_changed = false;
    for one in notes.iter_mut().filter(|one| is_resolvable(&found, one)) {
        has_changed |= set(command, one, resolved)?;
    }
    note_if_all_resolved(command, &found, resolved && has_changed)?;
    thread(views(&mut command.query(), &found.issuable, notes)?).ok_or(AppError::NotFound(Missing::Discussion))
}

/// Resolves one note, or opens it again.
pub fn resolve_note(
    command: &mut Command<'_>,
    of: &IssuableReference,
    id: NoteId,
    resolved: bool,
) -> Result<NoteView, AppError> {
    let (found, filter) = readable(&mut command.query(), of, IssuableAction::Read)?;
    let mut changed = find(&mut command.query(), &filter, id)?;
    check(&found, std::slice::from_ref(&changed))?;
    let has_changed = set(command, &mut changed, resolved)?;
    note_if_all_resolved(command, &found, resolved && has_changed)?;
    one(&mut command.query(), &found.issuable, changed)
}

/// Yields whether anything has changed.
fn set(command: &mut Command<'_>, note: &mut Note, resolved: bool) -> Result<bool, AppError> {
    if note.resolved.is_some() == resolved {
        return Ok(false);
    }
    note.resolved = resolved.then_some(Resolution { by: command.actor(), at: command.now });
    note::update(&mut command.tx, note)?;
    Ok(true)
}

//! The server's notes about actions of users.

use tenon_domain::id::{IssuableId, NoteId, UserId};
use tenon_domain::note::{Note, NoteKind};
use tenon_storage::note;

use crate::core::app::Command;
use crate::core::error::AppError;

/// An id for a new discussion: 40 hexadecimal digits.
pub(crate) fn new_discussion_id(command: &Command<'_>) -> String {
    let mut bytes = [0_u8; 20];
    command.app.entropy().fill(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Notes `body` down in `issuable` as the caller's doing. `refers_to` is what the text names: who may not see that does
/// not see the note.
pub(crate) fn write(
    command: &mut Command<'_>,
    issuable: IssuableId,
    author: UserId,
    body: String,
    refers_to: Option<IssuableId>,
) -> Result<(), AppError> {
    insert(command, issuable, author, body, refers_to).map(drop)
}

/// As [`write`]; yields the id of the note.
pub(crate) fn insert(
    command: &mut Command<'_>,
    issuable: IssuableId,
    author: UserId,
    body: String,
    refers_to: Option<IssuableId>,
) -> Result<NoteId, AppError> {
    let discussion = new_discussion_id(command);
    let system_note = Note { refers_to, ..by_itself(command, issuable, author, discussion, body) };
    Ok(note::insert(&mut command.tx, &system_note)?)
}

/// As [`write`], in the discussion of another note.
pub(crate) fn add(
    command: &mut Command<'_>,
    beside: Note,
    author: UserId,
    body: String,
    refers_to: Option<IssuableId>,
) -> Result<(), AppError> {
    let Note { issuable, discussion, kind, position, .. } = beside;
    let system_note = Note { kind, position, refers_to, ..by_itself(command, issuable, author, discussion, body) };
    note::insert(&mut command.tx, &system_note)?;
    Ok(())
}

fn by_itself(command: &Command<'_>, issuable: IssuableId, author: UserId, discussion: String, body: String) -> Note {
    Note {
        id: NoteId::new(0),
        issuable,
        author,
        discussion,
        kind: NoteKind::Note,
        system: true,
        body,
        refers_to: None,
        position: None,
        resolved: None,
        created_at: command.now,
        updated_at: command.now,
    }
}

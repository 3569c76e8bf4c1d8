//! What the server notes down about what users do (reference: issues-merge-requests-projects, section 10.9).

use tenon_domain::id::{IssuableId, NoteId, UserId};
use tenon_domain::note::{Note, NoteKind};
use tenon_storage::note;

use crate::context::Command;
use crate::error::AppError;

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
    let system_note = Note {
        id: NoteId::new(0),
        issuable,
        author,
        discussion: new_discussion_id(command),
        kind: NoteKind::Note,
        system: true,
        body,
        refers_to,
        position: None,
        resolved: None,
        created_at: command.now,
        updated_at: command.now,
    };
    Ok(note::insert(&mut command.tx, &system_note)?)
}

//! Discussions: notes that belong together.

use tenon_domain::file_path::FilePath;
use tenon_domain::issuable::{IssuableAction, IssuableKind};
use tenon_domain::note::{DiffPosition, Note, NoteKind};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::refusal::NoteRefusal;
use tenon_storage::{merge_request, note};

use super::change::say;
use super::view::{NoteView, views};
use super::{NewNote, Noted};
use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Attempt, Missing};
use crate::policy::issuable::{AuthorizedIssuable, IssuableReference};
use crate::shared::issuable::notes::readable;
use crate::shared::issuable::system_notes;

/// A discussion as answers show it.
#[derive(Debug, Clone)]
pub struct DiscussionView {
    /// 40 hexadecimal digits.
    pub id: String,
    /// True if it is an individual note, which takes no replies.
    pub individual_note: bool,
    /// Its notes, oldest first.
    pub notes: Vec<NoteView>,
}

/// The discussions of an issue, in the order in which they began.
pub fn discussions(
    query: &mut Query<'_>,
    of: &IssuableReference,
    page: PageRequest,
) -> Result<Page<DiscussionView>, AppError> {
    let (found, filter) = readable(query, of, IssuableAction::Read)?;
    let threads = note::discussions(&mut query.tx, &filter, page)?;
    let lengths: Vec<usize> = threads.items.iter().map(Vec::len).collect();
    let notes = views(query, &found.issuable, threads.items.into_iter().flatten().collect())?;
    let mut notes = notes.into_iter();
    let items = lengths.into_iter().filter_map(|length| thread(notes.by_ref().take(length).collect())).collect();
    Ok(Page { items, total: threads.total, request: threads.request })
}

/// One discussion.
pub fn discussion(query: &mut Query<'_>, of: &IssuableReference, id: &str) -> Result<DiscussionView, AppError> {
    let (found, filter) = readable(query, of, IssuableAction::Read)?;
    let notes = note::discussion(&mut query.tx, &filter, id)?;
    thread(views(query, &found.issuable, notes)?).ok_or(AppError::NotFound(Missing::Discussion))
}

/// Begins a discussion.
pub fn start(
    command: &mut Command<'_>,
    of: &IssuableReference,
    request: NewNote,
) -> Result<Option<DiscussionView>, AppError> {
    let (found, _) = readable(&mut command.query(), of, IssuableAction::Comment)?;
    let id = system_notes::new_discussion_id(command);
    let position = request.position.clone().filter(|_| found.issuable.kind == IssuableKind::MergeRequest);
    if let Some(position) = &position {
        check_position(command, &found, position)?;
    }
    let kind = if position.is_some() { NoteKind::Diff } else { NoteKind::Discussion };
    match say(command, found, NewNote { position, ..request }, id, kind)? {
        Noted::Said(note) => Ok(thread(vec![*note])),
        Noted::CommandsOnly => Ok(None),
    }
}

/// Adds to a discussion. Notes by themselves take no replies.
pub fn reply(command: &mut Command<'_>, of: &IssuableReference, id: &str, request: NewNote) -> Result<Noted, AppError> {
    let (found, notes) = replied_to(command, of, id)?;
    let first = notes.first().ok_or(AppError::NotFound(Missing::Discussion))?;
    if first.kind == NoteKind::Note {
        return Err(NoteRefusal::NoReplies.into());
    }
    let request = NewNote { position: first.position.clone(), ..request };
    say(command, found, request, id.to_owned(), first.kind)
}

/// The merge request or issue, which the caller may comment on, and the notes of the discussion; none if there is no
/// such.
pub(super) fn replied_to(
    command: &mut Command<'_>,
    of: &IssuableReference,
    id: &str,
) -> Result<(AuthorizedIssuable, Vec<Note>), AppError> {
    let mut query = command.query();
    let (found, filter) = readable(&mut query, of, IssuableAction::Comment)?;
    let notes = note::discussion(&mut query.tx, &filter, id)?;
    Ok((found, notes))
}

/// A position lies in a version of the merge request, on a line of a file.
pub(super) fn check_position(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    position: &DiffPosition,
) -> Result<(), AppError> {
    let is_commit = |name: &str| name.len() == 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let commits = [&position.base, &position.start, &position.head];
    let lines = [position.old_line, position.new_line];
    let is_line = lines.iter().flatten().all(|line| *line > 0) && lines.iter().any(Option::is_some);
    let paths = [&position.old_path, &position.new_path];
    let length = |path: &str| FilePath::from_stored(path).bytes().len();
    let is_file = paths.iter().all(|path| (1..=MAX_PATH).contains(&length(path)));
    let heads = merge_request::known_heads(&mut command.tx, found.issuable.id)?;
    if commits.into_iter().all(|name| is_commit(name)) && is_line && is_file && heads.contains(&position.head) {
        return Ok(());
    }
    Err(AppError::rejected(Attempt::WriteNote, "position", "is invalid"))
}

/// The longest path of a file in a tree, in bytes.
const MAX_PATH: usize = 4096;

pub(super) fn thread(notes: Vec<NoteView>) -> Option<DiscussionView> {
    let first = notes.first()?;
    Some(DiscussionView {
        id: first.note.discussion.clone(),
        individual_note: first.note.kind == NoteKind::Note,
        notes,
    })
}

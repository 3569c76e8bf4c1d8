//! Discussions: notes that belong together.

use tenon_domain::issue::IssueAction;
use tenon_domain::note::{Note, NoteKind};
use tenon_domain::page::{Page, PageRequest};
use tenon_storage::note;

use super::change::say;
use super::view::{NoteView, views};
use super::{NewNote, Noteable, Noted, readable};
use crate::context::{Command, Query};
use crate::error::{AppError, Missing};
use crate::issuable::system_note;
use crate::issue::FoundIssue;

/// A discussion as answers show it.
#[derive(Debug, Clone)]
pub struct DiscussionView {
    /// 40 hexadecimal digits.
    pub id: String,
    /// Whether it is a note by itself, to which nobody can reply.
    pub individual_note: bool,
    /// Its notes, oldest first.
    pub notes: Vec<NoteView>,
}

/// The discussions of an issue, in the order in which they began.
pub fn discussions(query: &mut Query<'_>, of: &Noteable, page: PageRequest) -> Result<Page<DiscussionView>, AppError> {
    let (found, filter) = readable(query, of, IssueAction::Read)?;
    let threads = note::discussions(&mut query.tx, &filter, page)?;
    let lengths: Vec<usize> = threads.items.iter().map(Vec::len).collect();
    let notes = views(query, &found.issue, threads.items.into_iter().flatten().collect())?;
    let mut notes = notes.into_iter();
    let items = lengths.into_iter().filter_map(|length| thread(notes.by_ref().take(length).collect())).collect();
    Ok(Page { items, total: threads.total, request: threads.request })
}

/// One discussion.
pub fn discussion(query: &mut Query<'_>, of: &Noteable, id: &str) -> Result<DiscussionView, AppError> {
    let (found, filter) = readable(query, of, IssueAction::Read)?;
    let notes = note::discussion(&mut query.tx, &filter, id)?;
    thread(views(query, &found.issue, notes)?).ok_or(AppError::NotFound(Missing::Named("Discussion")))
}

/// Begins a discussion.
pub fn start(command: &mut Command<'_>, of: &Noteable, request: NewNote) -> Result<Option<DiscussionView>, AppError> {
    let (found, _) = readable(&mut command.query(), of, IssueAction::Comment)?;
    let id = system_note::new_discussion_id(command);
    match say(command, found, request, id, NoteKind::Discussion)? {
        Noted::Said(note) => Ok(thread(vec![*note])),
        Noted::CommandsOnly => Ok(None),
    }
}

/// Adds to a discussion. Notes by themselves take no replies.
pub fn reply(command: &mut Command<'_>, of: &Noteable, id: &str, request: NewNote) -> Result<Noted, AppError> {
    let (found, notes) = replied_to(command, of, id)?;
    let kind = match notes.first().map(|note| note.kind) {
        Some(NoteKind::Note) => {
            return Err(AppError::Refused("Individual notes can not be replied to".to_owned()));
        }
        Some(kind) => kind,
        None => return Err(AppError::NotFound(Missing::Named("Discussion"))),
    };
    say(command, found, request, id.to_owned(), kind)
}

fn replied_to(command: &mut Command<'_>, of: &Noteable, id: &str) -> Result<(FoundIssue, Vec<Note>), AppError> {
    let mut query = command.query();
    let (found, filter) = readable(&mut query, of, IssueAction::Comment)?;
    let notes = note::discussion(&mut query.tx, &filter, id)?;
    Ok((found, notes))
}

fn thread(notes: Vec<NoteView>) -> Option<DiscussionView> {
    let first = notes.first()?;
    Some(DiscussionView {
        id: first.note.discussion.clone(),
        individual_note: first.note.kind == NoteKind::Note,
        notes,
    })
}

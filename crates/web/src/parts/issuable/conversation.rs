//! The page of a conversation that an address asks for.

use tenon_app::error::AppError;
use tenon_app::note::{self, Conversation};
use tenon_app::{PageRequest, Query, issuable};
use tenon_domain::id::NoteId;
use tenon_domain::note::Note;
use tenon_domain::time::Timestamp;

use super::excerpt::Excerpt;
use super::talk::{Draft, DraftPlace, Placed};
use crate::kit::parameters::Parameters;

/// Threads on a page.
const THREADS: i64 = 100;

/// A page of a conversation. It is the page with the open form, the requested page, or the page with the note that the
/// address names. Otherwise it is the last one, which has the new comments.
pub(crate) fn conversation(
    query: &mut Query<'_>,
    of: &issuable::IssuableReference,
    asked: &Parameters,
    open: Option<&DraftPlace>,
) -> Result<Conversation, AppError> {
    let excerpt = Excerpt::parse(asked, open.and_then(DraftPlace::note));
    let kept = |notes: &[Note]| excerpt.kept(notes);
    let of_form = match open {
        Some(DraftPlace::Note(id) | DraftPlace::Tasks(Some(id))) => note::page_of_note(query, of, *id, THREADS)?,
        Some(DraftPlace::Reply(discussion)) => note::page_of_thread(query, of, discussion, THREADS)?,
        Some(_) | None => None,
    };
    let named = asked.number("edit_note").or_else(|| asked.number("note")).map(NoteId::new);
    let number = match (of_form.or_else(|| asked.number("page")), named) {
        (Some(number), _) => Some(number),
        (None, Some(id)) => note::page_of_note(query, of, id, THREADS)?,
        (None, None) => None,
    };
    let first = note::conversation(query, of, PageRequest::new(number, Some(THREADS)), &kept)?;
    let last = first.threads.total_pages();
    if number.is_some() || last < 2 {
        return Ok(first);
    }
    note::conversation(query, of, PageRequest::new(Some(last), Some(THREADS)), &kept)
}

/// The changes of labels in the time of a page of a conversation.
pub(crate) fn changes(
    query: &mut Query<'_>,
    of: &issuable::IssuableReference,
    talk: &Conversation,
) -> Result<Placed, AppError> {
    let began = |thread: &note::Thread| thread.notes.first().map(|note| note.view.note.created_at);
    let threads: Vec<Option<Timestamp>> = talk.threads.items.iter().map(began).collect();
    let from = threads.first().copied().flatten().filter(|_| talk.threads.request.page() > 1);
    let found = issuable::label_changes(query, of, (from, talk.next_at))?;
    let place = |at: Timestamp| {
        let later = threads.iter().position(|began| began.is_some_and(|began| began > at));
        later.unwrap_or(threads.len())
    };
    Ok(found.into_iter().map(|change| (place(change.at), change)).collect())
}

/// The form of a note that the address opens. It holds the Markdown of the note.
pub(crate) fn opened(asked: &Parameters, talk: &Conversation) -> Option<Draft> {
    let id = NoteId::new(asked.number("edit_note")?);
    let mut notes = talk.threads.items.iter().flat_map(|thread| &thread.notes);
    let note = notes.find(|note| note.view.note.id == id && note.may_change)?;
    Some(Draft::of(note))
}

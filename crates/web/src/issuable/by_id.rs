//! Notes at addresses below the project that do not name what a note is about: `notes?target_type=issue&target_id=5`, and
//! `notes/{id}`. They are handled as those below the issue or merge request are.

use tenon_app::issuable::{self, IssuableReference};
use tenon_app::note;
use tenon_domain::id::{IssuableId, NoteId};
use tenon_domain::issuable::IssuableKind;

use super::note as below;
use crate::answer::Answer;
use crate::error::PageError;
use crate::project::{Room, Table, commit};

pub(crate) fn routes(table: &mut Table) {
    table.post("/notes", create);
    table.put("/notes/{id}", update);
    table.delete("/notes/{id}", delete);
    table.post("/notes/{id}/resolve", resolve);
    table.delete("/notes/{id}/resolve", reopen);
}

/// The same request, below what a note is about.
fn about(mut room: Room, of: &IssuableReference) -> Room {
    room.asked.pattern = match of.kind {
        IssuableKind::Issue => "/issues/{iid}/notes",
        IssuableKind::MergeRequest => "/merge_requests/{iid}/notes",
    };
    room.asked.named.push(("iid".to_owned(), vec![of.iid.to_string()]));
    room
}

/// The same request, below what the note is about that the path names. 404 where the caller may not see the note.
async fn about_target(room: Room) -> Result<Room, PageError> {
    let (project, id) = (room.project(), NoteId::new(room.asked.number("id")?));
    let of = room.visit.ask(move |query| note::target(query, &project, id)).await?;
    Ok(about(room, &of))
}

/// Says something about an issue or merge request of this id, or about a commit. The address or the form names it. 404 where there
/// is none that the caller may see.
async fn create(room: Room) -> Result<Answer, PageError> {
    let (form, visit) = (room.visit.form(), &room.visit);
    let named = |name: &str| form.filled("", name).or_else(|| visit.query(name).map(str::to_owned)).unwrap_or_default();
    let (kind, id) = (named("target_type"), named("target_id"));
    let wanted = match kind.as_str() {
        "issue" => IssuableKind::Issue,
        "merge_request" => IssuableKind::MergeRequest,
        "commit" => return commit::comment(room, id).await,
        _ => return Err(PageError::NotFound),
    };
    let (project, id) = (room.project(), id.parse().map_err(|_no_number| PageError::NotFound)?);
    let of = room.visit.ask(move |query| issuable::reference_of(query, &project, IssuableId::new(id))).await?;
    if of.kind != wanted {
        return Err(PageError::NotFound);
    }
    Box::pin(below::create(about(room, &of))).await
}

async fn update(room: Room) -> Result<Answer, PageError> {
    below::update(about_target(room).await?).await
}

async fn delete(room: Room) -> Result<Answer, PageError> {
    below::delete(about_target(room).await?).await
}

async fn resolve(room: Room) -> Result<Answer, PageError> {
    below::set_note_resolved(about_target(room).await?, true).await
}

async fn reopen(room: Room) -> Result<Answer, PageError> {
    below::set_note_resolved(about_target(room).await?, false).await
}

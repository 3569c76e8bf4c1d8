//! Saying something about an issue or merge request, changing it, and taking it back.

use tenon_app::error::AppError;
use tenon_app::issue::{self, EditIssue};
use tenon_app::merge_request::{self, EditMergeRequest};
use tenon_app::note::{self, NewNote, Noted};
use tenon_domain::id::NoteId;
use tenon_domain::issuable::{IssuableKind, StateEvent};
use tenon_domain::note::DiffPosition;

use super::list::list_of;
use super::side::asked_page;
use super::talk::{Draft, DraftPlace};
use super::{both, kind_of, reference};
use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Form, Problems};
use crate::place::of_note;
use crate::project::{Asked, Room, Table};

pub(crate) fn routes(table: &mut Table) {
    for path in both!("/notes") {
        table.post(path, create);
    }
    for path in both!("/notes/{id}") {
        table.put(path, update);
        table.delete(path, delete);
    }
    table.post("/merge_requests/{iid}/discussions/{id}/resolve", resolve);
    table.delete("/merge_requests/{iid}/discussions/{id}/resolve", reopen);
}

/// The address of the page of an issue or merge request, below its project.
pub(crate) fn page_of(asked: &Asked) -> String {
    format!("/{}/{}", list_of(kind_of(asked)), asked.segment("iid"))
}

/// Adds a comment, begins or answers a discussion; closes or opens what it is about where the button says so.
pub(super) async fn create(room: Room) -> Result<Answer, PageError> {
    let of = reference(&room.asked)?;
    let form = room.visit.form();
    let (text, action) = (form.text("note", "note"), form.text("", "action"));
    let (reply_to, position) = (form.filled("", "in_reply_to_discussion_id"), position(form));
    let from_diff = form.ticked("", "from_diff");
    let place = match (&reply_to, &position) {
        (Some(id), _) => DraftPlace::Reply(id.clone()),
        (None, Some(_)) => DraftPlace::Line(form.text("", "line")),
        (None, None) => DraftPlace::Comment,
    };
    if action == "preview" {
        return preview(room, place, text, from_diff).await;
    }
    let event = event(&action);
    let page = page_of(&room.asked);
    let request = NewNote { body: text.clone(), created_at: None, position };
    let is_thread = action == "thread" || request.position.is_some();
    let says_something = !text.trim().is_empty() || event.is_none();
    let kind = of.kind;
    let target = of.clone();
    let written = room.visit.write_text(request.texts(), move |command| {
        let mut noted = Noted::CommandsOnly;
        if says_something {
            noted = match reply_to {
                Some(id) => note::reply(command, &of, &id, request)?,
                None if is_thread => {
                    let first = note::start(command, &of, request)?.and_then(|thread| thread.notes.into_iter().next());
                    first.map_or(Noted::CommandsOnly, |note| Noted::Said(Box::new(note)))
                }
                None => note::create(command, &of, request)?,
            };
        }
        if event.is_some() && of.kind == IssuableKind::Issue {
            issue::edit(command, &of.project, of.iid, EditIssue { state_event: event, ..EditIssue::default() })?;
        }
        Ok(noted)
    });
    let noted = match written.await {
        Ok(noted) => noted,
        Err(error) => return refused(room, place, text, from_diff, error).await,
    };
    if event.is_some() && kind == IssuableKind::MergeRequest {
        let request = EditMergeRequest { state_event: event, ..EditMergeRequest::default() };
        if let Err(error) = merge_request::edit(room.visit.app(), room.visit.identity(), target, request).await {
            return refused(room, DraftPlace::Comment, String::new(), false, error).await;
        }
    }
    // A comment that answers nothing stands on the last page.
    let page = if place == DraftPlace::Comment { page } else { origin(&room) };
    Ok(match noted {
        Noted::Said(view) => room.done(&format!("{page}#note_{}", view.note.id)),
        Noted::CommandsOnly if says_something => room.done(&page).cookie(cookie::of_flash(Flash::CommandsDone)),
        Noted::CommandsOnly => room.done(&page),
    })
}

/// What a button asks of the state.
pub(crate) fn event(action: &str) -> Option<StateEvent> {
    match action {
        "close" => Some(StateEvent::Close),
        "reopen" => Some(StateEvent::Reopen),
        _ => None,
    }
}

pub(super) async fn update(room: Room) -> Result<Answer, PageError> {
    let of = reference(&room.asked)?;
    let id = NoteId::new(room.asked.number("id")?);
    let form = room.visit.form();
    let (text, action) = (form.text("note", "note"), form.text("", "action"));
    let from_diff = form.ticked("", "from_diff");
    if action == "preview" {
        return preview(room, DraftPlace::Note(id), text, from_diff).await;
    }
    let body = text.clone();
    match room.visit.write_text(vec![body.clone()], move |command| note::edit(command, &of, id, &body)).await {
        Ok(_) => Ok(room.done(&of_note(&origin(&room), id))),
        Err(error) => refused(room, DraftPlace::Note(id), text, from_diff, error).await,
    }
}

pub(super) async fn delete(room: Room) -> Result<Answer, PageError> {
    let of = reference(&room.asked)?;
    let id = NoteId::new(room.asked.number("id")?);
    room.visit.write(move |command| note::delete(command, &of, id, None)).await?;
    Ok(room.done(&origin(&room)).cookie(cookie::of_flash(Flash::CommentDeleted)))
}

async fn resolve(room: Room) -> Result<Answer, PageError> {
    set_resolved(room, true).await
}

async fn reopen(room: Room) -> Result<Answer, PageError> {
    set_resolved(room, false).await
}

async fn set_resolved(room: Room, resolved: bool) -> Result<Answer, PageError> {
    let of = reference(&room.asked)?;
    let id = room.asked.segment("id").to_owned();
    let back = format!("{}#discussion_{}", origin(&room), crate::place::in_path(&id));
    room.visit.write(move |command| note::resolve(command, &of, &id, resolved)).await?;
    Ok(room.done(&back))
}

/// Resolves one note, or opens it again.
pub(super) async fn set_note_resolved(room: Room, resolved: bool) -> Result<Answer, PageError> {
    let of = reference(&room.asked)?;
    let id = NoteId::new(room.asked.number("id")?);
    let back = of_note(&origin(&room), id);
    room.visit.write(move |command| note::resolve_note(command, &of, id, resolved)).await?;
    Ok(room.done(&back))
}

/// The page from which a form was sent: that of the changes, or that of the conversation.
pub(crate) fn origin(room: &Room) -> String {
    let page = page_of(&room.asked);
    let query = room.visit.parameters();
    if room.visit.form().ticked("", "from_diff") {
        format!("{page}/diffs{}", crate::merge_request::query::kept(query))
    } else {
        format!("{page}{}", asked_page(query))
    }
}

/// The same page with the text as it will look, and the form with the text.
async fn preview(room: Room, place: DraftPlace, text: String, from_diff: bool) -> Result<Answer, PageError> {
    let html = room.rendered(text.clone()).await?;
    again(room, Draft { place, text, problems: Problems::default(), preview: Some(html) }, from_diff).await
}

/// The same page with what is wrong, and the form with the text.
pub(crate) async fn refused(
    room: Room,
    place: DraftPlace,
    text: String,
    from_diff: bool,
    error: AppError,
) -> Result<Answer, PageError> {
    again(room, Draft { place, text, problems: Problems::of(error)?, preview: None }, from_diff).await
}

pub(crate) async fn again(room: Room, draft: Draft, from_diff: bool) -> Result<Answer, PageError> {
    match kind_of(&room.asked) {
        IssuableKind::Issue => Box::pin(crate::issue::show::again(room, draft)).await,
        IssuableKind::MergeRequest if from_diff => Box::pin(crate::merge_request::changes::again(room, draft)).await,
        IssuableKind::MergeRequest => Box::pin(crate::merge_request::show::again(room, draft)).await,
    }
}

/// The line of a difference that a form is about.
pub(crate) fn position(form: Form<'_>) -> Option<DiffPosition> {
    let text = |name: &str| form.filled("position", name);
    let line = |name: &str| text(name).and_then(|line| line.parse().ok());
    Some(DiffPosition {
        base: text("base_sha")?,
        start: text("start_sha")?,
        head: text("head_sha")?,
        old_path: form.text("position", "old_path"),
        new_path: form.text("position", "new_path"),
        old_line: line("old_line"),
        new_line: line("new_line"),
    })
}

//! Makes, changes and deletes comments on an issue or merge request.

use actix_web::http::StatusCode;
use tenon_app::Command;
use tenon_app::error::AppError;
use tenon_app::issuable::IssuableReference;
use tenon_app::issue::{self, EditIssue};
use tenon_app::merge_request::{self, EditMergeRequest};
use tenon_app::note::{self, NewNote, Noted, Suggestions, TextPlace};
use tenon_domain::id::NoteId;
use tenon_domain::issuable::{IssuableKind, State, StateEvent};
use tenon_domain::quick_action::extract;

use crate::context::project::ProjectContext;
use crate::kit::address::of_note;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;
use crate::parts::issuable::changed::{self, Part, part};
use crate::parts::issuable::note::{event, origin, position};
use crate::parts::issuable::reference::{both, kind_of, page_of, reference};
use crate::parts::issuable::talk::{Draft, DraftPlace};
use crate::table::project::ProjectTable;

const CHANGED_SINCE: &str = "This comment was changed since you opened this form. Below is what is stored now, and then what \
    you typed: saving again replaces what is stored.";

pub(crate) fn routes(table: &mut ProjectTable) {
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

/// Adds a comment, or begins or answers a discussion. If the button says so, it also closes or reopens the issue or
/// merge request.
pub(super) async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked)?;
    let form = context.request.form();
    let (text, action) = (form.text("note", "note"), form.text("", "action"));
    let (reply_to, position) = (form.filled("", "in_reply_to_discussion_id"), position(form));
    let from_diff = form.ticked("", "from_diff");
    let place = match (&reply_to, &position) {
        (Some(id), _) => DraftPlace::Reply(id.clone()),
        (None, Some(_)) => DraftPlace::Line(form.text("", "line")),
        (None, None) => DraftPlace::Comment,
    };
    if action == "preview" {
        return preview(context, place, text, from_diff).await;
    }
    if action == "suggest" {
        let block = form.text("", "suggestion").replace("\r\n", "\n");
        let between = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let draft = Draft { place, text: format!("{text}{between}{block}"), ..Draft::default() };
        return Ok(again(context, draft, from_diff).await?.status(actix_web::http::StatusCode::OK));
    }
    let event = event(&action);
    let page = page_of(&context.asked);
    let body = extract(&text);
    let place_of_text = match (&reply_to, &position) {
        (Some(id), _) => Some(TextPlace::Discussion(id.clone())),
        (None, position) => position.clone().map(TextPlace::Line),
    };
    let suggestions = suggested(&context, &of, &body.text, place_of_text).await?;
    let request = NewNote { body, created_at: None, position, suggestions };
    let is_thread = action == "thread" || request.position.is_some();
    let has_commands = !request.body.actions.is_empty();
    let says_something = !text.trim().is_empty() || event.is_none();
    let kind = of.kind;
    let target = of.clone();
    let written = context.request.write_text(request.texts(), move |command| {
        let (mut noted, mut state) = (Noted::CommandsOnly, None);
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
            let request = EditIssue { state_event: event, ..EditIssue::default() };
            state = Some(issue::edit(command, &of.project, of.iid, request)?.issuable.state);
        }
        Ok((noted, state))
    });
    let (noted, mut state) = match written.await {
        Ok(written) => written,
        Err(error) => return refused(context, place, text, from_diff, error).await,
    };
    if event.is_some() && kind == IssuableKind::MergeRequest {
        let request = EditMergeRequest { state_event: event, ..EditMergeRequest::default() };
        match merge_request::edit(context.request.app(), context.request.identity(), target, request).await {
            Ok(view) => state = Some(view.of.issuable.state),
            Err(error) => return refused(context, DraftPlace::Comment, String::new(), false, error).await,
        }
    }
    if let Noted::Said(view) = &noted
        && context.request.is_fragment()
        && event.is_none()
        && (from_diff || !has_commands)
        // A comment that is no answer may stand on another page than this one.
        && (place != DraftPlace::Comment || context.request.query("page").is_none())
    {
        let id = view.note.id;
        return part(context, Part::Note(id), None).await;
    }
    // A comment that is no answer stands on the last page.
    let page = if place == DraftPlace::Comment { page } else { origin(&context) };
    // A use case may leave the state as it is.
    let changed = match state {
        Some(State::Closed { .. }) if event == Some(StateEvent::Close) => Some(Flash::Closed),
        Some(State::Opened) if event == Some(StateEvent::Reopen) => Some(Flash::Reopened),
        _ => None,
    };
    Ok(match noted {
        Noted::Said(view) => context
            .done(&format!("{page}#note_{}", view.note.id))
            .cookie(cookie::of_flash(changed.unwrap_or(Flash::CommentAdded))),
        Noted::CommandsOnly => {
            let commands = says_something.then_some(Flash::CommandsDone);
            let done = context.done(&page);
            match commands.or(changed) {
                Some(flash) => done.cookie(cookie::of_flash(flash)),
                None => done,
            }
        }
    })
}

/// The changes of lines that a text at this place proposes.
async fn suggested(
    context: &ProjectContext,
    of: &IssuableReference,
    text: &str,
    place: Option<TextPlace>,
) -> Result<Suggestions, PageError> {
    let Some(place) = place else { return Ok(Suggestions::default()) };
    let (app, identity) = (context.request.app(), context.request.identity());
    Ok(note::suggested(app, identity, of, vec![(text.to_owned(), place)]).await?)
}

pub(super) async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked)?;
    let id = NoteId::new(context.asked.number("id")?);
    let form = context.request.form();
    let (text, action) = (form.text("note", "note"), form.text("", "action"));
    let from_diff = form.ticked("", "from_diff");
    if action == "preview" {
        return preview(context, DraftPlace::Note(id), text, from_diff).await;
    }
    let (body, seen) = (text.clone(), form.filled("", "text_seen"));
    let suggestions = suggested(&context, &of, &body, Some(TextPlace::Note(id))).await?;
    let edit = move |command: &mut Command<'_>| match &seen {
        Some(seen) => note::edit_seen(command, &of, id, seen, &body, &suggestions),
        None => note::edit(command, &of, id, &body, &suggestions),
    };
    match context.request.write_text(vec![text.clone()], edit).await {
        Ok(_) if context.request.is_fragment() => part(context, Part::Note(id), None).await,
        Ok(_) => Ok(context.done(&of_note(&origin(&context), id))),
        Err(AppError::Stale) => beside_stored(context, id, text, from_diff).await,
        Err(error) => refused(context, DraftPlace::Note(id), text, from_diff, error).await,
    }
}

/// 409: the form with the typed text, beside the one that another user has stored since the form was made.
async fn beside_stored(
    context: ProjectContext,
    id: NoteId,
    text: String,
    from_diff: bool,
) -> Result<Answer, PageError> {
    let of = reference(&context.asked)?;
    let stored = context.request.ask(move |query| note::one(query, &of, id)).await?;
    let problems = Problems::plain(CHANGED_SINCE);
    let stored_text = Some(stored.view.note.body.clone());
    let draft = Draft { text, problems, stored: stored_text, ..Draft::of(&stored) };
    let answer = if context.request.is_fragment() {
        part(context, Part::Note(id), Some(draft)).await?
    } else {
        again(context, draft, from_diff).await?
    };
    Ok(answer.status(StatusCode::CONFLICT))
}

pub(super) async fn delete(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked)?;
    let id = NoteId::new(context.asked.number("id")?);
    let known = of.clone();
    let delete = move |command: &mut tenon_app::Command<'_>| {
        let thread = note::thread_of(&mut command.query(), &known, id)?;
        note::delete(command, &of, id, None)?;
        Ok(thread)
    };
    let thread = context.request.write(delete).await?;
    if context.request.is_fragment() {
        return part(context, Part::Thread(thread), None).await;
    }
    Ok(context.done(&origin(&context)).cookie(cookie::of_flash(Flash::CommentDeleted)))
}

async fn resolve(context: ProjectContext) -> Result<Answer, PageError> {
    set_resolved(context, true).await
}

async fn reopen(context: ProjectContext) -> Result<Answer, PageError> {
    set_resolved(context, false).await
}

async fn set_resolved(context: ProjectContext, resolved: bool) -> Result<Answer, PageError> {
    let of = reference(&context.asked)?;
    let id = context.asked.segment("id").to_owned();
    let back = format!("{}#discussion_{}", origin(&context), crate::kit::address::in_path(&id));
    let thread = id.clone();
    context.request.write(move |command| note::resolve(command, &of, &id, resolved)).await?;
    // The overview also says whether the merge waits for discussions.
    if context.request.is_fragment() && context.request.form().ticked("", "from_diff") {
        return part(context, Part::Thread(thread), None).await;
    }
    Ok(context.done(&back))
}

/// Resolves one note, or opens it again.
pub(super) async fn set_note_resolved(context: ProjectContext, resolved: bool) -> Result<Answer, PageError> {
    let of = reference(&context.asked)?;
    let id = NoteId::new(context.asked.number("id")?);
    let back = of_note(&origin(&context), id);
    context.request.write(move |command| note::resolve_note(command, &of, id, resolved)).await?;
    Ok(context.done(&back))
}

/// The same page with the rendered text, and the form with the text.
async fn preview(
    context: ProjectContext,
    place: DraftPlace,
    text: String,
    from_diff: bool,
) -> Result<Answer, PageError> {
    let html = context.rendered(text.clone()).await?;
    let seen = context.request.form().text("", "text_seen");
    again(context, Draft { place, text, preview: Some(html), seen, ..Draft::default() }, from_diff).await
}

/// The same page with the errors, and the form with the text.
pub(crate) async fn refused(
    context: ProjectContext,
    place: DraftPlace,
    text: String,
    from_diff: bool,
    error: AppError,
) -> Result<Answer, PageError> {
    let problems = Problems::of(error)?;
    if context.request.is_fragment() {
        return changed::refused(problems);
    }
    let seen = context.request.form().text("", "text_seen");
    again(context, Draft { place, text, problems, seen, ..Draft::default() }, from_diff).await
}

pub(crate) async fn again(context: ProjectContext, draft: Draft, from_diff: bool) -> Result<Answer, PageError> {
    match kind_of(&context.asked) {
        IssuableKind::Issue => Box::pin(crate::pages::issue::show::again(context, draft)).await,
        IssuableKind::MergeRequest if from_diff => {
            Box::pin(crate::pages::merge_request::changes::again(context, draft)).await
        }
        IssuableKind::MergeRequest => Box::pin(crate::pages::merge_request::show::again(context, draft)).await,
    }
}

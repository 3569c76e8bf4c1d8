//! Ticks the tasks of a description or of a comment.

use actix_web::http::StatusCode;
use tenon_app::error::AppError;
use tenon_app::issue::{self, EditIssue};
use tenon_app::merge_request::{self, EditMergeRequest};
use tenon_app::tasks::TaskChange;
use tenon_app::{issuable, note};
use tenon_domain::id::NoteId;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::quick_action::Extracted;

use super::note::again;
use crate::context::project::ProjectContext;
use crate::kit::address::of_note;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::form::{ListChange, OriginalValues};
use crate::kit::problems::Problems;
use crate::parts::issuable::note::origin;
use crate::parts::issuable::reference::{both, reference};
use crate::parts::issuable::talk::{Draft, DraftPlace};
use crate::table::project::ProjectTable;

/// How often a text is read again that another request has just changed.
const ATTEMPTS: usize = 3;

/// How many tasks a refusal names.
const NAMED: usize = 50;

const CHANGED_SINCE: &str = "This text was changed since you loaded the page, so that no task was ticked. Below is the \
    text of now: tick its tasks again.";

pub(crate) fn routes(table: &mut ProjectTable) {
    for path in both!("/tasks") {
        table.post(path, tick);
    }
    for path in both!("/notes/{id}/tasks") {
        table.post(path, tick);
    }
}

/// Ticks the tasks that were ticked on the page, and removes the ticks that were removed. 409 with the text of now if
/// more than ticks was changed since the page was made.
async fn tick(context: ProjectContext) -> Result<Answer, PageError> {
    let note = match context.asked.segment("id") {
        "" => None,
        _ => Some(NoteId::new(context.asked.number("id")?)),
    };
    let change = asked_for(&context);
    let from_diff = context.request.form().ticked("", "from_diff");
    let mut saved = Ok(());
    for _ in 0..ATTEMPTS {
        saved = match note {
            Some(id) => save_note(&context, id, change.clone()).await,
            None => save_description(&context, change.clone()).await,
        };
        if !matches!(saved, Err(AppError::Stale)) {
            break;
        }
    }
    match saved {
        Ok(()) if context.request.is_fragment() => Ok(Answer::empty(StatusCode::NO_CONTENT)),
        Ok(()) => {
            let back = note.map_or_else(|| origin(&context), |id| of_note(&origin(&context), id));
            Ok(context.done(&back))
        }
        Err(AppError::Stale) => {
            let problems = Problems::plain(&format!("{CHANGED_SINCE}{}", in_words(&change)));
            let draft = Draft { place: DraftPlace::Tasks(note), problems, ..Draft::default() };
            Ok(again(context, draft, from_diff).await?.status(StatusCode::CONFLICT))
        }
        Err(error) => Err(error.into()),
    }
}

/// The change that the form asks for. Ticks that it has as the page had them stay as they are stored.
fn asked_for(context: &ProjectContext) -> TaskChange {
    let form = context.request.form();
    let shown = OriginalValues::sent(form);
    let numbers = |texts: Vec<String>| {
        let mut numbers: Vec<usize> = texts.iter().filter_map(|text| text.parse().ok()).collect();
        numbers.sort_unstable();
        numbers
    };
    let ListChange { added, removed } = form.changed(&shown).list_change("", "tasks").unwrap_or_default();
    TaskChange { seen: form.text("", "seen"), on: numbers(added), off: numbers(removed) }
}

/// The change that was asked for, in words, by the numbers of the tasks in the text of the page.
fn in_words(change: &TaskChange) -> String {
    let named = |words: &str, numbers: &[usize]| {
        let rest = if numbers.len() > NAMED { " and others" } else { "" };
        let numbers: Vec<String> = numbers.iter().take(NAMED).map(ToString::to_string).collect();
        if numbers.is_empty() { String::new() } else { format!(" {words} {}{rest}.", numbers.join(", ")) }
    };
    let on = named("In the text that you saw, you ticked number", &change.on);
    format!("{on}{}", named("In the text that you saw, you removed the tick of number", &change.off))
}

async fn save_note(context: &ProjectContext, id: NoteId, change: TaskChange) -> Result<(), AppError> {
    let of = reference(&context.asked)?;
    let known = of.clone();
    let (app, identity) = (context.request.app(), context.request.identity());
    let (before, body) = app.read(identity, move |query| note::ticked(query, &known, id, &change)).await?;
    if before == body {
        return Ok(());
    }
    let texts = vec![body.clone()];
    let edit = move |command: &mut tenon_app::Command<'_>| note::edit_unchanged(command, &of, id, &before, &body);
    context.request.write_text(texts, edit).await.map(drop)
}

async fn save_description(context: &ProjectContext, change: TaskChange) -> Result<(), AppError> {
    let of = reference(&context.asked)?;
    let known = of.clone();
    let (app, identity) = (context.request.app(), context.request.identity());
    let read = app.read(identity, move |query| issuable::ticked_description(query, &known, &change));
    let (text, seen) = read.await?;
    let description = Some(Extracted { text, actions: Vec::new() });
    let text_seen = Some(seen);
    match of.kind {
        IssuableKind::Issue => {
            let request = EditIssue { description, text_seen, ..EditIssue::default() };
            let edit = move |command: &mut tenon_app::Command<'_>| issue::edit(command, &of.project, of.iid, request);
            context.request.write_text(Vec::new(), edit).await.map(drop)
        }
        IssuableKind::MergeRequest => {
            let request = EditMergeRequest { description, text_seen, ..EditMergeRequest::default() };
            merge_request::edit(app, identity, of, request).await.map(drop)
        }
    }
}

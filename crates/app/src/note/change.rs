//! Saying something, changing it, and taking it back.

use tenon_auth::digest;
use tenon_domain::access::AccessLevel;
use tenon_domain::event::{Event, EventKind};
use tenon_domain::id::NoteId;
use tenon_domain::issuable::{IssuableAction, IssuableKind, MAX_TEXT};
use tenon_domain::note::{DiffPosition, Note, NoteKind};
use tenon_domain::quick_action::Extracted;
use tenon_domain::time::Timestamp;
use tenon_storage::{issuable, note, todo};

use super::suggestion::Suggestions;
use super::view::{NoteView, one};
use crate::core::app::Command;
use crate::core::error::{AppError, Attempt};
use crate::policy::issuable::{AuthorizedIssuable, IssuableReference};
use crate::policy::precondition::check_unmodified;
use crate::policy::quota::check_number;
use crate::shared::hook_event::record as hook_event;
use crate::shared::issuable::edit_detail::EditDetail;
use crate::shared::issuable::notes::found;
use crate::shared::issuable::quick_actions::run_actions;
use crate::shared::issuable::{references, system_notes};
use crate::shared::issuable_aggregate::IssuableAggregate;

/// A request to say something.
#[derive(Debug, Clone, Default)]
pub struct NewNote {
    /// Markdown, and the quick actions that stood in it.
    pub body: Extracted,
    /// When it was said, if owners say so.
    pub created_at: Option<Timestamp>,
    /// The place in the difference of a merge request.
    pub position: Option<DiffPosition>,
    /// The changes of lines that its text proposes ([`suggested`](super::suggested)).
    pub suggestions: Suggestions,
}

impl NewNote {
    /// The texts that are stored, for [`App::write_text`](crate::App::write_text).
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        vec![self.body.text.clone()]
    }
}

/// The outcome of a note.
#[derive(Debug, Clone)]
pub enum Noted {
    /// It was said.
    Said(Box<NoteView>),
    /// It was nothing but commands, which were carried out.
    CommandsOnly,
}

/// Comments on an issue.
pub fn create(command: &mut Command<'_>, of: &IssuableReference, request: NewNote) -> Result<Noted, AppError> {
    let found = command.query().issuable(of, IssuableAction::Comment)?;
    let discussion = system_notes::new_discussion_id(command);
    let request = NewNote { position: None, ..request };
    say(command, found, request, discussion, NoteKind::Note)
}

/// Stores a comment in a discussion and carries out its commands.
pub(super) fn say(
    command: &mut Command<'_>,
    found: AuthorizedIssuable,
    request: NewNote,
    discussion: String,
    kind: NoteKind,
) -> Result<Noted, AppError> {
    check_written(request.body.is_blank(), &request.body.text)?;
    let Extracted { text, actions } = request.body;
    let is_owner = found.home.standing.at_least(AccessLevel::Owner);
    let at = request.created_at.filter(|_| is_owner).unwrap_or(command.now);
    let names = command.names(&text)?;
    let author = command.user()?.id;
    let mut said = None;
    if !text.trim().is_empty() {
        let of = match found.issuable.kind {
            IssuableKind::Issue => "An issue",
            IssuableKind::MergeRequest => "A merge request",
        };
        check_number(found.issuable.user_notes_count, command.app.limits().contents.notes, of, "comments")?;
        let mut new = Note {
            id: NoteId::new(0),
            issuable: found.issuable.id,
            author,
            discussion,
            kind,
            system: false,
            body: text,
            refers_to: None,
            position: request.position,
            resolved: None,
            created_at: at,
            updated_at: at,
        };
        new.id = note::insert(&mut command.tx, &new)?;
        request.suggestions.store(command, &new)?;
        said = Some(new);
    }
    let now = command.now;
    match &said {
        Some(_) => issuable::count_note(&mut command.tx, found.issuable.id, now)?,
        None => issuable::touch(&mut command.tx, found.issuable.id, now)?,
    }
    issuable::touch_project(&mut command.tx, found.issuable.project, now)?;
    todo::mark_issuable_done(&mut command.tx, author, found.issuable.id, now)?;
    let mut found = found;
    if let Some(new) = &said {
        references::index_new_references(command, &found, Some(new.id), &names)?;
        emit_event(command, &found, EventKind::NoteCreated, new)?;
        hook_event::record_note(command, new, &found.issuable)?;
    }
    if !actions.is_empty() {
        found.issuable.updated_at = now;
        let aggregate = IssuableAggregate::load(command, &found.issuable)?;
        found.issuable = run_actions(command, &found, &aggregate, actions)?.issuable;
    }
    match said {
        None => Ok(Noted::CommandsOnly),
        Some(new) => Ok(Noted::Said(Box::new(one(&mut command.query(), &found.issuable, new)?))),
    }
}

/// Changes a comment: its author, or a maintainer. Comments of the server stay.
pub fn edit(
    command: &mut Command<'_>,
    of: &IssuableReference,
    id: NoteId,
    body: &str,
    suggestions: &Suggestions,
) -> Result<NoteView, AppError> {
    let (found, changed) = changeable(command, of, id)?;
    change(command, &found, changed, body, Some(suggestions))
}

/// Ticks tasks of a comment, as [`edit`], if it still has the text `before`; [`AppError::Stale`] if it has another one.
pub fn edit_unchanged(
    command: &mut Command<'_>,
    of: &IssuableReference,
    id: NoteId,
    before: &str,
    body: &str,
) -> Result<NoteView, AppError> {
    let (found, changed) = changeable(command, of, id)?;
    if changed.body != before {
        return Err(AppError::Stale);
    }
    change(command, &found, changed, body, None)
}

/// As [`edit`], if the comment still has the text of this version, or has the wanted one: a form may be sent twice.
/// [`AppError::Stale`] if it has another one.
pub fn edit_seen(
    command: &mut Command<'_>,
    of: &IssuableReference,
    id: NoteId,
    seen: &str,
    body: &str,
    suggestions: &Suggestions,
) -> Result<NoteView, AppError> {
    let (found, changed) = changeable(command, of, id)?;
    if changed.body != body && digest(&changed.body) != seen {
        return Err(AppError::Stale);
    }
    change(command, &found, changed, body, Some(suggestions))
}

fn change(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    mut changed: Note,
    body: &str,
    suggestions: Option<&Suggestions>,
) -> Result<NoteView, AppError> {
    check_body(body)?;
    let names = command.names(body)?;
    body.clone_into(&mut changed.body);
    changed.updated_at = command.now;
    note::update(&mut command.tx, &changed)?;
    if let Some(suggestions) = suggestions {
        suggestions.store(command, &changed)?;
    }
    let mentioned = references::index_references(command, found, Some(changed.id), &names)?;
    let mut event = about(command, found, EventKind::NoteUpdated, &changed);
    event.detail = EditDetail::default().mentioning(&mentioned).written();
    command.append(&event)?;
    one(&mut command.query(), &found.issuable, changed)
}

/// Deletes a comment: its author, or a maintainer.
pub fn delete(
    command: &mut Command<'_>,
    of: &IssuableReference,
    id: NoteId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let (found, gone) = changeable(command, of, id)?;
    check_unmodified(gone.updated_at, unmodified_since)?;
    note::delete(&mut command.tx, id)?;
    issuable::recount_notes(&mut command.tx, found.issuable.id)?;
    emit_event(command, &found, EventKind::NoteDeleted, &gone)
}

fn changeable(
    command: &mut Command<'_>,
    of: &IssuableReference,
    id: NoteId,
) -> Result<(AuthorizedIssuable, Note), AppError> {
    let (issue, note) = found(&mut command.query(), of, id, IssuableAction::Read)?;
    let own = command.actor() == Some(note.author);
    let permitted = !note.system && issue.may(IssuableAction::Comment) && (own || issue.may(IssuableAction::Moderate));
    if permitted { Ok((issue, note)) } else { Err(AppError::Forbidden) }
}

pub(super) fn check_body(body: &str) -> Result<(), AppError> {
    check_written(body.trim().is_empty(), body)
}

fn check_written(is_blank: bool, body: &str) -> Result<(), AppError> {
    if is_blank {
        return Err(AppError::rejected(Attempt::WriteNote, "note", "can't be blank"));
    }
    if body.len() > MAX_TEXT && body.chars().count() > MAX_TEXT {
        return Err(AppError::invalid("note", format!("is too long (maximum is {MAX_TEXT} characters)")));
    }
    Ok(())
}

fn emit_event(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    kind: EventKind,
    note: &Note,
) -> Result<(), AppError> {
    let event = about(command, found, kind, note);
    command.append(&event)
}

fn about(command: &Command<'_>, found: &AuthorizedIssuable, kind: EventKind, note: &Note) -> Event {
    command.event(kind).project(found.issuable.project).issuable(found.issuable.id).note(note.id)
}

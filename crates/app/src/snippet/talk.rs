//! Comments on snippets of projects, and reactions. Snippets of users alone have neither.

use tenon_domain::id::{AwardId, NoteId, ProjectId};
use tenon_domain::issuable::MAX_TEXT;
use tenon_domain::note::NoteKind;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::refusal::NoteRefusal;
use tenon_domain::snippet::{SnippetAction, SnippetNote};
use tenon_domain::time::Timestamp;
use tenon_storage::snippet::{self, SnippetAward, Subject};

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Attempt, Missing};
use crate::policy::precondition::check_unmodified;
use crate::policy::quota::check_number;
use crate::policy::reference::Reference;
use crate::policy::snippet::{AuthorizedSnippet, SnippetReference};
use crate::shared::hook_event::snippet_note_event::record_snippet_note;
use crate::shared::issuable::system_notes::new_discussion_id;
use crate::shared::markdown::{PageText, render_all};
use crate::shared::views::user_ref::UserRef;

/// A comment as answers show it.
#[derive(Debug, Clone)]
pub struct SnippetNoteView {
    /// The comment.
    pub note: SnippetNote,
    /// Who said it.
    pub author: Option<UserRef>,
    /// The project of the snippet.
    pub project: ProjectId,
}

/// A discussion as answers show it.
#[derive(Debug, Clone)]
pub struct SnippetDiscussionView {
    /// 40 hexadecimal digits.
    pub id: String,
    /// True if it is an individual comment, which takes no replies.
    pub individual_note: bool,
    /// Its comments, oldest first.
    pub notes: Vec<SnippetNoteView>,
}

/// A reaction as answers show it.
#[derive(Debug, Clone)]
pub struct SnippetAwardView {
    /// The reaction.
    pub award: SnippetAward,
    /// Who reacted.
    pub user: Option<UserRef>,
}

/// The order of a list of comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotesOrder {
    /// By the date of the last change instead of that of creation.
    pub by_change: bool,
    /// Falling instead of rising.
    pub descending: bool,
}

/// The target of a reaction: a snippet, or a comment on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Awardable {
    /// The snippet.
    pub of: SnippetReference,
    /// The comment.
    pub note: Option<NoteId>,
}

/// The snippet, if it is one of a project, with that project.
fn found(
    query: &mut Query<'_>,
    of: &SnippetReference,
    action: SnippetAction,
) -> Result<(AuthorizedSnippet, ProjectId), AppError> {
    let found = query.snippet(of, action, Missing::Record)?;
    let project = found.snippet.project.ok_or(AppError::NotFound(Missing::Record))?;
    Ok((found, project))
}

fn views(query: &mut Query<'_>, project: ProjectId, notes: Vec<SnippetNote>) -> Result<Vec<SnippetNoteView>, AppError> {
    let people = UserRef::of(query, notes.iter().map(|note| note.author).collect())?;
    let view = |note: SnippetNote| SnippetNoteView { author: people.get(&note.author).cloned(), project, note };
    Ok(notes.into_iter().map(view).collect())
}

fn view(query: &mut Query<'_>, project: ProjectId, note: SnippetNote) -> Result<SnippetNoteView, AppError> {
    views(query, project, vec![note])?.pop().ok_or(AppError::NotFound(Missing::Record))
}

fn thread(notes: Vec<SnippetNoteView>) -> Option<SnippetDiscussionView> {
    let first = notes.first()?;
    let individual_note = first.note.kind == NoteKind::Note;
    Some(SnippetDiscussionView { id: first.note.discussion.clone(), individual_note, notes })
}

/// The comments on a snippet.
pub fn notes(
    query: &mut Query<'_>,
    of: &SnippetReference,
    order: NotesOrder,
    page: PageRequest,
) -> Result<Page<SnippetNoteView>, AppError> {
    let (found, project) = found(query, of, SnippetAction::Read)?;
    let order = (order.by_change, order.descending);
    let notes = snippet::notes(&mut query.tx, found.snippet.id, order, page)?;
    Ok(Page { items: views(query, project, notes.items)?, total: notes.total, request: notes.request })
}

/// One comment. With `discussion`, it has to belong to that.
pub fn note(
    query: &mut Query<'_>,
    of: &SnippetReference,
    discussion: Option<&str>,
    id: NoteId,
) -> Result<SnippetNoteView, AppError> {
    let (found, project) = found(query, of, SnippetAction::Read)?;
    let note = find_note(query, &found, discussion, id)?;
    view(query, project, note)
}

/// A comment for the page of its snippet.
#[derive(Debug, Clone)]
pub struct ShownNote {
    /// The comment.
    pub view: SnippetNoteView,
    /// Its text as safe HTML.
    pub html: String,
    /// True if the caller may remove it.
    pub may_delete: bool,
}

/// A page of the comments on a snippet, for its page, and if the caller may comment: the first page has the newest ones, and each
/// page begins with its oldest one. There are none on a snippet of a user alone.
pub fn shown_notes(
    query: &mut Query<'_>,
    of: &SnippetReference,
    page: PageRequest,
) -> Result<(Page<ShownNote>, bool), AppError> {
    let (found, project) = found(query, of, SnippetAction::Read)?;
    let mut stored = snippet::notes(&mut query.tx, found.snippet.id, (false, true), page)?;
    stored.items.reverse();
    let texts = stored.items.iter().map(|note| PageText { key: format!("note {}", note.id), text: &note.body });
    let texts: Vec<PageText<'_>> = texts.collect();
    let html = render_all(query, &texts, &Reference::Id(project.get()))?;
    let (may_comment, may_moderate) =
        (found.may(query, SnippetAction::Comment), found.may(query, SnippetAction::Moderate));
    let caller = query.viewer().user();
    let shown = |(view, html): (SnippetNoteView, String)| {
        let may_delete = may_moderate || may_comment && caller == Some(view.note.author);
        ShownNote { view, html, may_delete }
    };
    let (total, request) = (stored.total, stored.request);
    let items = views(query, project, stored.items)?.into_iter().zip(html).map(shown).collect();
    Ok((Page { items, total, request }, may_comment))
}

fn find_note(
    query: &mut Query<'_>,
    found: &AuthorizedSnippet,
    discussion: Option<&str>,
    id: NoteId,
) -> Result<SnippetNote, AppError> {
    let note = snippet::find_note(&mut query.tx, found.snippet.id, id)?;
    let note = note.filter(|note| discussion.is_none_or(|wanted| note.discussion == wanted));
    note.ok_or(AppError::NotFound(Missing::Record))
}

/// The discussions of a snippet, in the order in which they began.
pub fn discussions(
    query: &mut Query<'_>,
    of: &SnippetReference,
    page: PageRequest,
) -> Result<Page<SnippetDiscussionView>, AppError> {
    let (found, project) = found(query, of, SnippetAction::Read)?;
    let threads = snippet::discussions(&mut query.tx, found.snippet.id, page)?;
    let lengths: Vec<usize> = threads.items.iter().map(Vec::len).collect();
    let mut notes = views(query, project, threads.items.into_iter().flatten().collect())?.into_iter();
    let items = lengths.into_iter().filter_map(|length| thread(notes.by_ref().take(length).collect())).collect();
    Ok(Page { items, total: threads.total, request: threads.request })
}

/// One discussion.
pub fn discussion(query: &mut Query<'_>, of: &SnippetReference, id: &str) -> Result<SnippetDiscussionView, AppError> {
    let (found, project) = found(query, of, SnippetAction::Read)?;
    let notes = snippet::discussion(&mut query.tx, found.snippet.id, id)?;
    thread(views(query, project, notes)?).ok_or(AppError::NotFound(Missing::Discussion))
}

/// Comments on a snippet: by itself, or as the first comment of a discussion.
pub fn comment(
    command: &mut Command<'_>,
    of: &SnippetReference,
    kind: NoteKind,
    body: String,
) -> Result<SnippetNoteView, AppError> {
    let (found, project) = found(&mut command.query(), of, SnippetAction::Comment)?;
    let discussion = new_discussion_id(command);
    say(command, &found, project, kind, discussion, body)
}

/// As [`comment`], beginning a discussion.
pub fn start(
    command: &mut Command<'_>,
    of: &SnippetReference,
    body: String,
) -> Result<SnippetDiscussionView, AppError> {
    let first = comment(command, of, NoteKind::Discussion, body)?;
    thread(vec![first]).ok_or(AppError::NotFound(Missing::Discussion))
}

/// Adds to a discussion. Comments by themselves take no replies.
pub fn reply(
    command: &mut Command<'_>,
    of: &SnippetReference,
    id: &str,
    body: String,
) -> Result<SnippetNoteView, AppError> {
    let (found, project) = found(&mut command.query(), of, SnippetAction::Comment)?;
    let notes = snippet::discussion(&mut command.tx, found.snippet.id, id)?;
    let first = notes.first().ok_or(AppError::NotFound(Missing::Discussion))?;
    if first.kind == NoteKind::Note {
        return Err(NoteRefusal::NoReplies.into());
    }
    say(command, &found, project, NoteKind::Discussion, id.to_owned(), body)
}

fn say(
    command: &mut Command<'_>,
    found: &AuthorizedSnippet,
    project: ProjectId,
    kind: NoteKind,
    discussion: String,
    body: String,
) -> Result<SnippetNoteView, AppError> {
    check_body(&body)?;
    let count = snippet::count_notes(&mut command.tx, found.snippet.id)?;
    check_number(count, command.app.limits().contents.notes, "A snippet", "comments")?;
    let mut note = SnippetNote {
        id: NoteId::new(0),
        snippet: found.snippet.id,
        author: command.user()?.id,
        discussion,
        kind,
        body,
        created_at: command.now,
        updated_at: command.now,
    };
    note.id = snippet::insert_note(&mut command.tx, &note)?;
    record_snippet_note(command, &found.snippet, project, &note)?;
    view(&mut command.query(), project, note)
}

fn check_body(body: &str) -> Result<(), AppError> {
    if body.trim().is_empty() {
        return Err(AppError::rejected(Attempt::WriteNote, "note", "can't be blank"));
    }
    if body.len() > MAX_TEXT && body.chars().count() > MAX_TEXT {
        return Err(AppError::invalid("note", format!("is too long (maximum is {MAX_TEXT} characters)")));
    }
    Ok(())
}

/// The comment, which its author or a maintainer may change.
fn changeable(
    command: &mut Command<'_>,
    of: &SnippetReference,
    discussion: Option<&str>,
    id: NoteId,
) -> Result<(SnippetNote, ProjectId), AppError> {
    let mut query = command.query();
    let (found, project) = found(&mut query, of, SnippetAction::Read)?;
    let note = find_note(&mut query, &found, discussion, id)?;
    let own = query.viewer().user() == Some(note.author);
    let action = if own { SnippetAction::Comment } else { SnippetAction::Moderate };
    if found.may(&query, action) { Ok((note, project)) } else { Err(AppError::Forbidden) }
}

/// Changes a comment.
pub fn edit_note(
    command: &mut Command<'_>,
    of: &SnippetReference,
    discussion: Option<&str>,
    id: NoteId,
    body: String,
) -> Result<SnippetNoteView, AppError> {
    let (mut note, project) = changeable(command, of, discussion, id)?;
    check_body(&body)?;
    note.body = body;
    note.updated_at = command.now;
    snippet::update_note(&mut command.tx, &note)?;
    view(&mut command.query(), project, note)
}

/// Removes a comment.
pub fn delete_note(
    command: &mut Command<'_>,
    of: &SnippetReference,
    discussion: Option<&str>,
    id: NoteId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let (note, _) = changeable(command, of, discussion, id)?;
    check_unmodified(note.updated_at, unmodified_since)?;
    Ok(snippet::delete_note(&mut command.tx, note.id)?)
}

/// The snippet of a reaction, and its target.
fn subject(query: &mut Query<'_>, to: &Awardable) -> Result<(AuthorizedSnippet, Subject), AppError> {
    let (found, _) = found(query, &to.of, SnippetAction::Read)?;
    if let Some(id) = to.note {
        find_note(query, &found, None, id)?;
    }
    let subject = Subject { snippet: found.snippet.id, note: to.note };
    Ok((found, subject))
}

fn award_views(query: &mut Query<'_>, awards: Vec<SnippetAward>) -> Result<Vec<SnippetAwardView>, AppError> {
    let people = UserRef::of(query, awards.iter().map(|award| award.user).collect())?;
    let view = |award: SnippetAward| SnippetAwardView { user: people.get(&award.user).cloned(), award };
    Ok(awards.into_iter().map(view).collect())
}

/// The reactions to something, by id.
pub fn awards(query: &mut Query<'_>, to: &Awardable, page: PageRequest) -> Result<Page<SnippetAwardView>, AppError> {
    let (_, subject) = subject(query, to)?;
    let awards = snippet::awards(&mut query.tx, subject, page)?;
    Ok(Page { items: award_views(query, awards.items)?, total: awards.total, request: awards.request })
}

/// One reaction.
pub fn award(query: &mut Query<'_>, to: &Awardable, id: AwardId) -> Result<SnippetAwardView, AppError> {
    let (_, subject) = subject(query, to)?;
    let award = snippet::find_award(&mut query.tx, subject, id)?.ok_or(AppError::NotFound(Missing::Record))?;
    award_views(query, vec![award])?.pop().ok_or(AppError::NotFound(Missing::Record))
}

/// Reacts with an emoji. Fails for an unknown one, and for one with which the caller has reacted already.
pub fn give(command: &mut Command<'_>, to: &Awardable, name: &str) -> Result<SnippetAwardView, AppError> {
    let mut query = command.query();
    let (found, subject) = subject(&mut query, to)?;
    if !found.may(&query, SnippetAction::Comment) {
        return Err(AppError::NotFound(Missing::AwardEmoji));
    }
    let refused = |text: &str| AppError::rejected(Attempt::GiveAward, "name", text);
    let name = tenon_markdown::emoji_name(name).ok_or_else(|| refused("is not included in the list"))?;
    let user = command.user()?.id;
    let given = snippet::awards_of_user(&mut command.tx, subject, user)?;
    if given.iter().any(|given| given == name) {
        return Err(refused("has already been taken"));
    }
    let count = i64::try_from(given.len()).unwrap_or(i64::MAX);
    check_number(count, command.app.limits().contents.reactions, "A user", "reactions to one thing")?;
    let created_at = command.now;
    let mut award = SnippetAward { id: AwardId::new(0), subject, user, name: name.to_owned(), created_at };
    award.id = snippet::insert_award(&mut command.tx, &award)?;
    award_views(&mut command.query(), vec![award])?.pop().ok_or(AppError::NotFound(Missing::Record))
}

/// Withdraws a reaction of the caller's own, or any for administrators; others get a 401.
pub fn withdraw(
    command: &mut Command<'_>,
    to: &Awardable,
    id: AwardId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let mut query = command.query();
    let (found, subject) = subject(&mut query, to)?;
    let award = snippet::find_award(&mut query.tx, subject, id)?.ok_or(AppError::NotFound(Missing::Record))?;
    if query.viewer().user() != Some(award.user) && !query.is_admin() {
        return Err(AppError::Unauthenticated);
    }
    if !found.may(&query, SnippetAction::Comment) {
        return Err(AppError::NotFound(Missing::AwardEmoji));
    }
    check_unmodified(award.created_at, unmodified_since)?;
    Ok(snippet::delete_award(&mut command.tx, id)?)
}

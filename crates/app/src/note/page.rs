//! Notes as pages show them: with their texts as HTML, and with what the caller may do with each.

use tenon_domain::id::NoteId;
use tenon_domain::issuable::{IssuableAction, IssuableKind};
use tenon_domain::note::{DiffPosition, Note, NoteKind};
use tenon_domain::page::{Page, PageRequest};
use tenon_storage::note;

use super::view::{NoteView, views};
use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::issuable::{AuthorizedIssuable, IssuableReference};
use crate::policy::reference::Reference;
use crate::shared::markdown::render_all;
use crate::shared::notes::{find, readable};
use crate::shared::open_discussions::is_resolvable;

/// A note, for a page.
#[derive(Debug, Clone)]
pub struct ShownNote {
    /// What it is.
    pub view: NoteView,
    /// Its text as safe HTML.
    pub html: String,
    /// Whether the caller may change and delete it.
    pub may_change: bool,
}

/// Notes that answer each other.
#[derive(Debug, Clone)]
pub struct Thread {
    /// 40 hexadecimal digits.
    pub id: String,
    /// Its notes, oldest first; there is at least one.
    pub notes: Vec<ShownNote>,
    /// Whether it takes replies of the caller.
    pub may_reply: bool,
    /// Whether it is one that is resolved at some time, and whether it is.
    pub resolved: Option<bool>,
    /// Where in the difference of a merge request it stands.
    pub position: Option<DiffPosition>,
}

/// What was said, in the order in which it began.
#[derive(Debug, Clone)]
pub struct Conversation {
    /// A page of threads.
    pub threads: Page<Thread>,
}

/// The most discussions that are looked through for those about lines.
const MOST_ON_LINES: i64 = 500;

/// A page of what was said about an issue or merge request.
pub fn conversation(
    query: &mut Query<'_>,
    of: &IssuableReference,
    page: PageRequest,
) -> Result<Conversation, AppError> {
    let (found, filter) = readable(query, of, IssuableAction::Read)?;
    let listed = note::discussions(&mut query.tx, &filter, page)?;
    let threads = threads(query, &found, listed.items)?;
    Ok(Conversation { threads: Page { items: threads, total: listed.total, request: listed.request } })
}

/// The threads about lines of a merge request, as far as they are among its first discussions.
pub fn on_lines(query: &mut Query<'_>, of: &IssuableReference) -> Result<Vec<Thread>, AppError> {
    let (found, filter) = readable(query, of, IssuableAction::Read)?;
    let mut kept = Vec::new();
    for number in 1..=MOST_ON_LINES / PageRequest::MAX_PER_PAGE {
        let request = PageRequest::new(Some(number), Some(PageRequest::MAX_PER_PAGE));
        let listed = note::discussions(&mut query.tx, &filter, request)?;
        let is_last = number >= listed.total_pages();
        kept.extend(listed.items.into_iter().filter(|notes| notes.first().is_some_and(|one| one.position.is_some())));
        if is_last {
            break;
        }
    }
    threads(query, &found, kept)
}

/// One note that the caller may see, with its Markdown.
pub fn one(query: &mut Query<'_>, of: &IssuableReference, id: NoteId) -> Result<ShownNote, AppError> {
    let (found, filter) = readable(query, of, IssuableAction::Read)?;
    let note = find(query, &filter, id)?;
    let shown = shown(query, &found, vec![note])?.pop();
    shown.ok_or(AppError::NotFound(crate::core::error::Missing::Record))
}

fn threads(query: &mut Query<'_>, found: &AuthorizedIssuable, listed: Vec<Vec<Note>>) -> Result<Vec<Thread>, AppError> {
    let may_comment = query.viewer().user().is_some() && found.may(IssuableAction::Comment);
    let lengths: Vec<usize> = listed.iter().map(Vec::len).collect();
    let mut notes = shown(query, found, listed.into_iter().flatten().collect())?.into_iter();
    let thread = |length: usize| {
        let notes: Vec<ShownNote> = notes.by_ref().take(length).collect();
        let first = &notes.first()?.view.note;
        let open = |one: &&ShownNote| is_resolvable(found, &one.view.note);
        let resolved = notes
            .iter()
            .any(|one| open(&one))
            .then(|| notes.iter().filter(open).all(|one| one.view.note.resolved.is_some()));
        Some(Thread {
            id: first.discussion.clone(),
            may_reply: may_comment && first.kind != NoteKind::Note && !first.system,
            resolved: resolved.filter(|_| found.issuable.kind == IssuableKind::MergeRequest),
            position: first.position.clone(),
            notes,
        })
    };
    Ok(lengths.into_iter().filter_map(thread).collect())
}

fn shown(query: &mut Query<'_>, found: &AuthorizedIssuable, notes: Vec<Note>) -> Result<Vec<ShownNote>, AppError> {
    let user = query.viewer().user();
    let project = Reference::Id(found.home.project.id.get());
    let texts: Vec<&str> = notes.iter().map(|note| note.body.as_str()).collect();
    let html = render_all(query, &texts, &project)?;
    let may_change: Vec<bool> = notes
        .iter()
        .map(|note| {
            let own = user == Some(note.author) || found.may(IssuableAction::Moderate);
            !note.system && user.is_some() && own && found.may(IssuableAction::Comment)
        })
        .collect();
    let views = views(query, &found.issuable, notes)?;
    let all = views.into_iter().zip(html).zip(may_change);
    Ok(all.map(|((view, html), may_change)| ShownNote { view, html, may_change }).collect())
}

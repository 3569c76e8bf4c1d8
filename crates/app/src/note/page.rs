//! Notes as pages show them: with their texts as HTML, and with what the caller may do with each.

use std::borrow::Cow;
use std::ops::Range;

use tenon_domain::id::NoteId;
use tenon_domain::issuable::{IssuableAction, IssuableKind};
use tenon_domain::note::{DiffPosition, Note, NoteKind};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;
use tenon_storage::note::{self, NoteFilter};

use super::commit_links::with_commit_links;
use super::view::{NoteView, views};
use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::issuable::{AuthorizedIssuable, IssuableReference};
use crate::policy::reference::Reference;
use crate::shared::issuable::notes::{find, readable};
use crate::shared::issuable::open_discussions::is_resolvable;
use crate::shared::markdown::{PageText, render_all};
use crate::shared::tasks::{self, ShownTasks, TaskChange};

/// A note, for a page.
#[derive(Debug, Clone)]
pub struct ShownNote {
    /// The note itself.
    pub view: NoteView,
    /// Its text as safe HTML.
    pub html: String,
    /// True if the caller may change and delete it.
    pub may_change: bool,
    /// The tasks of its text, if the caller may tick them.
    pub tasks: Option<ShownTasks>,
}

/// Notes that answer each other.
#[derive(Debug, Clone)]
pub struct Thread {
    /// 40 hexadecimal digits.
    pub id: String,
    /// Those of its notes that are shown, oldest first.
    pub notes: Vec<ShownNote>,
    /// Which ones these are, by their places among all.
    pub kept: Vec<Range<usize>>,
    /// How many there are that the caller may see; there is at least one.
    pub length: usize,
    /// True if it takes replies of the caller.
    pub may_reply: bool,
    /// True if it is one that is resolved at some time, and whether it is.
    pub resolved: Option<bool>,
    /// The place in the difference of a merge request.
    pub position: Option<DiffPosition>,
}

/// Which notes of a thread are shown, by their places among all that the caller may see: ranges that rise and do not overlap.
pub type KeptNotes<'k> = dyn Fn(&[Note]) -> Vec<Range<usize>> + 'k;

/// The comments, in the order in which they began.
#[derive(Debug, Clone)]
pub struct Conversation {
    /// A page of threads.
    pub threads: Page<Thread>,
    /// When the first thread of the next page began.
    pub next_at: Option<Timestamp>,
}

/// The most discussions that are looked through for those about lines.
const MOST_ON_LINES: i64 = 500;

/// A page of what was said about an issue or merge request.
pub fn conversation(
    query: &mut Query<'_>,
    of: &IssuableReference,
    page: PageRequest,
    kept: &KeptNotes<'_>,
) -> Result<Conversation, AppError> {
    let (found, filter) = readable(query, of, IssuableAction::Read)?;
    let listed = note::discussions(&mut query.tx, &filter, page)?;
    let next_at = if listed.request.page() < listed.total_pages() {
        let place = listed.request.page().saturating_mul(listed.request.per_page());
        note::first_at(&mut query.tx, &filter, place)?.map(|note| note.created_at)
    } else {
        None
    };
    let threads = threads(query, &found, listed.items, kept)?;
    Ok(Conversation { threads: Page { items: threads, total: listed.total, request: listed.request }, next_at })
}

/// The page of a conversation with so many threads a page that has a note; none if there is no such note that the
/// caller may see.
pub fn page_of_note(
    query: &mut Query<'_>,
    of: &IssuableReference,
    id: NoteId,
    per_page: i64,
) -> Result<Option<i64>, AppError> {
    let (_, filter) = readable(query, of, IssuableAction::Read)?;
    let Some(note) = note::find(&mut query.tx, &filter, id)? else { return Ok(None) };
    page_in(query, &filter, &note.discussion, per_page)
}

/// As [`page_of_note`], of a thread.
pub fn page_of_thread(
    query: &mut Query<'_>,
    of: &IssuableReference,
    discussion: &str,
    per_page: i64,
) -> Result<Option<i64>, AppError> {
    let (_, filter) = readable(query, of, IssuableAction::Read)?;
    page_in(query, &filter, discussion, per_page)
}

fn page_in(
    query: &mut Query<'_>,
    filter: &NoteFilter,
    discussion: &str,
    per_page: i64,
) -> Result<Option<i64>, AppError> {
    let before = note::discussions_before(&mut query.tx, filter, discussion)?;
    Ok(before.map(|before| before / per_page.max(1) + 1))
}

/// The threads about lines of a merge request, as far as they are among its first discussions.
pub fn on_lines(query: &mut Query<'_>, of: &IssuableReference, kept: &KeptNotes<'_>) -> Result<Vec<Thread>, AppError> {
    let (found, filter) = readable(query, of, IssuableAction::Read)?;
    let mut about_lines = Vec::new();
    for number in 1..=MOST_ON_LINES / PageRequest::MAX_PER_PAGE {
        let request = PageRequest::new(Some(number), Some(PageRequest::MAX_PER_PAGE));
        let listed = note::discussions(&mut query.tx, &filter, request)?;
        let is_last = number >= listed.total_pages();
        about_lines
            .extend(listed.items.into_iter().filter(|notes| notes.first().is_some_and(|one| one.position.is_some())));
        if is_last {
            break;
        }
    }
    threads(query, &found, about_lines, kept)
}

/// One thread; none if no note of it is left.
pub fn thread(
    query: &mut Query<'_>,
    of: &IssuableReference,
    id: &str,
    kept: &KeptNotes<'_>,
) -> Result<Option<Thread>, AppError> {
    let (found, filter) = readable(query, of, IssuableAction::Read)?;
    let notes = note::discussion(&mut query.tx, &filter, id)?;
    Ok(threads(query, &found, vec![notes], kept)?.pop())
}

/// The thread to which a note belongs, by its id.
pub fn thread_of(query: &mut Query<'_>, of: &IssuableReference, id: NoteId) -> Result<String, AppError> {
    let (_, filter) = readable(query, of, IssuableAction::Read)?;
    Ok(find(query, &filter, id)?.discussion)
}

/// One note that the caller may see, with its Markdown.
pub fn one(query: &mut Query<'_>, of: &IssuableReference, id: NoteId) -> Result<ShownNote, AppError> {
    let (found, filter) = readable(query, of, IssuableAction::Read)?;
    let note = find(query, &filter, id)?;
    let shown = shown(query, &found, vec![note])?.pop();
    shown.ok_or(AppError::NotFound(Missing::Record))
}

/// The text of a note, and the same with other ticks. [`AppError::Stale`] if it is not as the caller has read it.
pub fn ticked(
    query: &mut Query<'_>,
    of: &IssuableReference,
    id: NoteId,
    change: &TaskChange,
) -> Result<(String, String), AppError> {
    query.user()?;
    let (_, filter) = readable(query, of, IssuableAction::Read)?;
    let note = find(query, &filter, id)?;
    Ok((note.body.clone(), change.applied_to(query, &note.body)?))
}

fn threads(
    query: &mut Query<'_>,
    found: &AuthorizedIssuable,
    listed: Vec<Vec<Note>>,
    kept_of: &KeptNotes<'_>,
) -> Result<Vec<Thread>, AppError> {
    let may_comment = query.viewer().user().is_some() && found.may(IssuableAction::Comment);
    let mut wanted = Vec::new();
    let mut threads = Vec::with_capacity(listed.len());
    for notes in listed {
        let Some(first) = notes.first() else { continue };
        let kept = kept_of(&notes);
        let mut resolvable = notes.iter().filter(|note| is_resolvable(found, note)).peekable();
        let is_thread = resolvable.peek().is_some() && found.issuable.kind == IssuableKind::MergeRequest;
        threads.push(Thread {
            id: first.discussion.clone(),
            notes: Vec::new(),
            length: notes.len(),
            may_reply: may_comment && first.kind != NoteKind::Note && !first.system,
            resolved: is_thread.then(|| resolvable.all(|note| note.resolved.is_some())),
            position: first.position.clone(),
            kept: kept.clone(),
        });
        let is_kept = |at: usize| kept.iter().any(|range| range.contains(&at));
        let kept = notes.into_iter().enumerate().filter(|(at, _)| is_kept(*at)).map(|(_, note)| note);
        wanted.push(kept.collect::<Vec<Note>>());
    }
    let lengths: Vec<usize> = wanted.iter().map(Vec::len).collect();
    let mut notes = shown(query, found, wanted.into_iter().flatten().collect())?.into_iter();
    for (thread, length) in threads.iter_mut().zip(lengths) {
        thread.notes = notes.by_ref().take(length).collect();
    }
    Ok(threads)
}

fn shown(query: &mut Query<'_>, found: &AuthorizedIssuable, notes: Vec<Note>) -> Result<Vec<ShownNote>, AppError> {
    let user = query.viewer().user();
    let project = Reference::Id(found.home.project.id.get());
    let links = query.app.links();
    let bodies = notes.iter().map(|note| {
        if note.system { with_commit_links(links, &found.home, &note.body) } else { Cow::Borrowed(note.body.as_str()) }
    });
    let bodies: Vec<Cow<'_, str>> = bodies.collect();
    let texts = notes.iter().zip(&bodies);
    let texts = texts.map(|(note, body)| PageText { key: format!("note {}", note.id), text: body });
    let texts: Vec<PageText<'_>> = texts.collect();
    let html = render_all(query, &texts, &project)?;
    let may_change: Vec<bool> = notes
        .iter()
        .map(|note| {
            let own = user == Some(note.author) || found.may(IssuableAction::Moderate);
            !note.system && user.is_some() && own && found.may(IssuableAction::Comment)
        })
        .collect();
    let views = views(query, &found.issuable, notes)?;
    let shown = |((view, html), may_change): ((NoteView, String), bool)| {
        let tasks = if may_change { tasks::shown(query, &view.note.body, &html) } else { None };
        ShownNote { view, html, may_change, tasks }
    };
    Ok(views.into_iter().zip(html).zip(may_change).map(shown).collect())
}

//! The part of a page that an action in a conversation has changed. The script inserts it in place of the old one.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::Query;
use tenon_app::error::AppError;
use tenon_app::issuable::{self, AwardCount, IssuablePage};
use tenon_app::merge_request;
use tenon_app::note::{self, ShownDraft, Thread};
use tenon_domain::id::{DraftNoteId, NoteId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::note::Note;

use super::difference_query;
use super::excerpt::Excerpt;
use super::reference::{kind_of, reference};
use super::side::{Facts, asked_page};
use super::talk::{Draft, DraftCard, ThreadView, view, words_until};
use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::problems::Problems;
use crate::kit::words::count;

/// A part of the page of an issue or merge request.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    /// The thread of this id.
    Thread(String),
    /// The thread that has this note.
    Note(NoteId),
    /// The reactions to this note, or to the subject of the page.
    Awards(Option<NoteId>),
    /// A comment of the caller's review.
    Draft(DraftNoteId),
    /// Nothing is left of it.
    Nothing,
}

#[derive(Template)]
#[template(path = "issuable/changed.html")]
struct ChangedPart {
    frame: Frame,
    project: ProjectFrame,
    facts: Facts,
    from_diff: bool,
    /// The number of pending comments, and the same in words.
    pending: Option<(usize, String)>,
    thread: Option<ThreadView>,
    card: Option<DraftCard>,
    /// The note, or 0, and the reactions to it.
    awards: Option<(i64, Vec<AwardCount>)>,
}

#[derive(Template)]
#[template(path = "parts/problems.html")]
struct RefusedPart {
    problems: Problems,
}

struct Found {
    page: IssuablePage,
    thread: Option<Thread>,
    drafts: Vec<ShownDraft>,
    /// How many suggestions can be applied, and if the caller may.
    applicable: (i64, bool),
}

/// The part that the script asks for: a comment with its form, or without it.
pub(crate) fn asked_for(context: &ProjectContext) -> Option<Part> {
    let number = |name: &str| context.request.parameters().number(name).filter(|_| context.request.is_fragment());
    let note = number("edit_note").or_else(|| number("note")).map(|id| Part::Note(NoteId::new(id)));
    note.or_else(|| number("edit_draft").map(|id| Part::Draft(DraftNoteId::new(id))))
}

/// The reasons why a form was refused, for the script, which keeps the form.
pub(crate) fn refused(problems: Problems) -> Result<Answer, PageError> {
    Ok(Answer::fragment(&RefusedPart { problems })?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// A part of the page, with the form that is open. Nothing asks Git for it: the script keeps the lines that a thread is about.
pub(crate) async fn part(context: ProjectContext, part: Part, draft: Option<Draft>) -> Result<Answer, PageError> {
    let (asked, wanted) = (context.asked.clone(), part.clone());
    let (frame, found) = context.request.read(move |query| read(query, &asked, &wanted)).await?;
    let Found { page, thread, drafts, applicable } = found;
    let is_request = kind_of(&context.asked) == IssuableKind::MergeRequest;
    let from_diff = context.asked.pattern.ends_with("/diffs") || context.request.form().ticked("", "from_diff");
    let tab = if is_request { Tab::MergeRequests } else { Tab::Issues };
    let project = ProjectFrame::new(&frame.root, &context.page, tab);
    let mut facts = Facts::new(&frame, &project.href, &page);
    (facts.suggestions, facts.may_apply) = applicable;
    let query = context.request.parameters();
    (facts.below, facts.kept) =
        if from_diff { ("/diffs", difference_query::kept(query)) } else { ("", asked_page(query)) };
    let limits = &context.request.app().limits().pages;
    let card = |shown: &ShownDraft| DraftCard::new(shown, draft.as_ref());
    let thread = thread.map(|thread| {
        let answers = |shown: &&ShownDraft| shown.draft.discussion.as_deref() == Some(thread.id.as_str());
        let drafts = drafts.iter().filter(answers).map(card).collect();
        let shown = view(&frame, thread, &page.awards, draft.as_ref(), words_until(limits));
        // On the page of the changes, the thread stands at its line.
        let line = shown.line.clone().filter(|_| !from_diff);
        ThreadView { line, drafts, ..shown }
    });
    let awards = match &part {
        Part::Awards(note) => Some((note.map_or(0, NoteId::get), page.awards.get(note).cloned().unwrap_or_default())),
        Part::Thread(_) | Part::Note(_) | Part::Draft(_) | Part::Nothing => None,
    };
    let counts = is_request && frame.user.is_some() && awards.is_none();
    Answer::fragment(&ChangedPart {
        card: drafts.iter().find(|shown| matches!(part, Part::Draft(id) if id == shown.draft.id)).map(card),
        pending: counts.then(|| (drafts.len(), pending(drafts.len()))),
        awards,
        thread,
        from_diff,
        facts,
        project,
        frame,
    })
}

/// The number of comments of a review that wait, in words.
pub(crate) fn pending(number: usize) -> String {
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    if number == 0 { "Review".to_owned() } else { count(number, "pending comment", "pending comments") }
}

fn read(query: &mut Query<'_>, asked: &ProjectRequest, part: &Part) -> Result<Found, AppError> {
    let of = reference(asked)?;
    let page = issuable::page(query, &of)?;
    let (id, note) = match part {
        Part::Thread(id) => (Some(id.clone()), None),
        Part::Note(note) => (Some(note::thread_of(query, &of, *note)?), Some(*note)),
        Part::Awards(_) | Part::Draft(_) | Part::Nothing => (None, None),
    };
    let excerpt = Excerpt::parse(&asked.query, note);
    let thread = match id {
        Some(id) => note::thread(query, &of, &id, &|notes: &[Note]| excerpt.kept(notes))?,
        None => None,
    };
    let drafts = match (of.kind, part) {
        (IssuableKind::Issue, _) | (_, Part::Awards(_)) => Vec::new(),
        (IssuableKind::MergeRequest, _) => note::drafts(query, &of)?,
    };
    let applicable = match (of.kind, &thread) {
        (IssuableKind::MergeRequest, Some(_)) => merge_request::applicable(query, &of)?,
        _ => (0, false),
    };
    Ok(Found { page, thread, drafts, applicable })
}

//! The conversation about an issue or merge request, as its page shows it.

use std::collections::HashMap;
use std::time::Instant;

use tenon_app::issuable::{AwardCount, LabelChanges};
use tenon_app::note::{Conversation, ShownDraft, ShownNote, Thread};
use tenon_app::tasks::{ShownTasks, with_boxes};
use tenon_domain::file_path::FilePath;
use tenon_domain::id::{DraftNoteId, NoteId};
use tenon_domain::label::Label;
use tenon_domain::limits::PageLimits;
use tenon_domain::note::DiffPosition;
use tenon_domain::system_note::SystemNoteKind;

use super::excerpt::{Gap, gaps};
use super::suggestion::{NotePart, parts};
use crate::context::frame::Frame;
use crate::kit::form::OriginalValues;
use crate::kit::pagination::Pagination;
use crate::kit::problems::Problems;
use crate::kit::words::{Moment, count};
use crate::parts::links::{LabelBadge, PersonLink};

/// Changes of labels, each with the number of threads of the page before it.
pub(crate) type Placed = Vec<(usize, LabelChanges)>;

/// The text of a caller in one of the forms of a page, with its preview or errors.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draft {
    pub(crate) place: DraftPlace,
    pub(crate) text: String,
    pub(crate) problems: Problems,
    /// The text as safe HTML, if a preview was requested.
    pub(crate) preview: Option<String>,
    /// The version of the stored text that the form has seen. Empty for a new text.
    pub(crate) seen: String,
    /// The text that another user has stored since then.
    pub(crate) stored: Option<String>,
}

impl Draft {
    /// The form of the text of a note.
    pub(crate) fn of(note: &ShownNote) -> Self {
        let (text, seen) = (note.view.note.body.clone(), note.view.text_version());
        Self { place: DraftPlace::Note(note.view.note.id), text, seen, ..Self::default() }
    }
}

/// A form for a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum DraftPlace {
    /// A new comment at the end.
    #[default]
    Comment,
    /// A reply to the discussion of this id.
    Reply(String),
    /// Another text for this note.
    Note(NoteId),
    /// A comment on this line of a difference.
    Line(String),
    /// Another text for this comment of a review.
    Review(DraftNoteId),
    /// The project to which an issue is moved.
    Move,
    /// The value of this fact.
    Fact(&'static str),
    /// The ticks of the tasks of this note. None: of the description.
    Tasks(Option<NoteId>),
}

/// The form of the tasks of a text.
#[derive(Debug, Clone)]
pub(crate) struct TaskForm {
    /// Its id, which the boxes name.
    pub(crate) id: String,
    /// The text that the page has ([`ShownTasks::seen`]).
    pub(crate) seen: String,
    /// The ticks that the page has ([`OriginalValues::field`]).
    pub(crate) shown: String,
}

impl TaskForm {
    /// The form for these tasks, and the HTML of their text with boxes that belong to it. No form if they cannot be
    /// ticked.
    pub(crate) fn new(id: String, tasks: Option<&ShownTasks>, html: String) -> (Option<Self>, String) {
        let Some(tasks) = tasks else { return (None, html) };
        let html = with_boxes(&html, &id);
        let ticked: Vec<String> = tasks.ticked.iter().map(ToString::to_string).collect();
        let shown = OriginalValues::of([("tasks", ticked.into())]).field();
        (Some(Self { id, seen: tasks.seen.clone(), shown }), html)
    }
}

/// The threads of a conversation, in order.
pub(crate) struct Talk {
    pub(crate) threads: Vec<ThreadView>,
    pub(crate) pages: Pagination,
    /// The numbers of threads on earlier and on later pages, in words.
    pub(crate) earlier: Option<String>,
    pub(crate) later: Option<String>,
    /// Changes of labels, by the number of threads of the page before each.
    changes: Vec<(usize, LabelNote)>,
}

/// The labels that a user has added and removed at one moment.
pub(crate) struct LabelNote {
    pub(crate) author: Option<PersonLink>,
    pub(crate) at: Moment,
    pub(crate) added: Vec<LabelBadge>,
    pub(crate) removed: Vec<LabelBadge>,
}

/// Notes that answer each other.
pub(crate) struct ThreadView {
    pub(crate) id: String,
    pub(crate) notes: Vec<NoteCard>,
    pub(crate) may_reply: bool,
    /// None if it cannot be resolved, and true if it is resolved.
    pub(crate) resolved: Option<bool>,
    /// The form of a reply, if it is open.
    pub(crate) draft: Option<Draft>,
    /// Its place in a difference: the file and the line, and the address of that line.
    pub(crate) line: Option<LineSpot>,
    /// The lines that it was about, if they are gone.
    pub(crate) quoted: Vec<crate::parts::diff::DiffLine>,
    /// Replies of the caller's that are not published yet.
    pub(crate) drafts: Vec<DraftCard>,
    /// Links to notes of a long discussion that are left out.
    pub(crate) gaps: Vec<Gap>,
    /// The ids of the discussions before and after it on the page, if there are others.
    pub(crate) beside: Option<(String, String)>,
}

/// Who resolved a discussion, unless that account is deleted, and when.
pub(crate) struct Resolved {
    pub(crate) by: Option<String>,
    pub(crate) at: Moment,
}

impl ThreadView {
    /// The link behind this number of shown notes.
    pub(crate) fn gap_after(&self, notes: usize) -> Option<&Gap> {
        self.gaps.iter().find(|gap| gap.after == notes)
    }

    /// True if it is a single note, and no discussion that could be answered or resolved.
    pub(crate) fn is_alone(&self) -> bool {
        let is_more = self.may_reply || self.resolved.is_some() || self.line.is_some() || !self.drafts.is_empty();
        self.notes.len() == 1 && self.gaps.is_empty() && !is_more
    }

    /// Who resolved it. None if it is not resolved.
    pub(crate) fn resolution(&self) -> Option<&Resolved> {
        let resolved = self.notes.iter().rev().find_map(|note| note.resolved.as_ref());
        resolved.filter(|_| self.resolved == Some(true))
    }

    /// True if a resolved discussion is not folded: one of its forms is open.
    pub(crate) fn is_open(&self) -> bool {
        let is_open = |note: &NoteCard| note.draft.is_some() || note.refusal.is_some();
        self.draft.is_some() || !self.drafts.is_empty() || self.notes.iter().any(is_open)
    }
}

/// A comment of the caller's that is not published yet.
pub(crate) struct DraftCard {
    pub(crate) id: i64,
    /// Safe HTML, made by the renderer of Markdown.
    pub(crate) html: String,
    pub(crate) at: Moment,
    /// True if it resolves the discussion that it answers.
    pub(crate) resolves: bool,
    /// The line that it is about.
    pub(crate) spot: Option<LineSpot>,
    /// The form of its text, if it is open.
    pub(crate) form: Option<Draft>,
}

impl DraftCard {
    pub(crate) fn new(shown: &ShownDraft, draft: Option<&Draft>) -> Self {
        let place = DraftPlace::Review(shown.draft.id);
        Self {
            id: shown.draft.id.get(),
            html: shown.html.clone(),
            at: shown.draft.updated_at.into(),
            resolves: shown.draft.resolves,
            spot: shown.draft.position.as_ref().map(spot),
            form: draft.filter(|draft| draft.place == place).cloned(),
        }
    }
}

/// A line of a difference, as a thread names it.
#[derive(Debug, Clone)]
pub(crate) struct LineSpot {
    pub(crate) path: String,
    pub(crate) words: String,
    /// The address below the merge request.
    pub(crate) below: String,
}

pub(crate) struct NoteCard {
    pub(crate) id: i64,
    pub(crate) author: Option<PersonLink>,
    pub(crate) at: Moment,
    pub(crate) edited: Option<Moment>,
    pub(crate) is_system: bool,
    /// The icon of a note of the server.
    icon: &'static str,
    /// Safe HTML, made by the renderer of Markdown.
    pub(crate) html: String,
    /// The same in parts, if it has suggestions.
    pub(crate) parts: Vec<NotePart>,
    pub(crate) may_change: bool,
    pub(crate) awards: Vec<AwardCount>,
    /// The form of its tasks, if the caller may tick them.
    pub(crate) tasks: Option<TaskForm>,
    /// The reason why no task was ticked.
    pub(crate) refusal: Option<String>,
    /// The form of its text, if it is open.
    pub(crate) draft: Option<Draft>,
    pub(crate) resolved: Option<Resolved>,
}

/// The icon of a note of the server.
fn icon_of(body: &str) -> &'static str {
    match SystemNoteKind::of(body) {
        SystemNoteKind::Closed => "circle-check",
        SystemNoteKind::Reopened => "circle-dot",
        SystemNoteKind::Merged => "git-merge",
        SystemNoteKind::Assignees => "user",
        SystemNoteKind::Milestone => "milestone",
        SystemNoteKind::DueDate => "calendar",
        SystemNoteKind::Time | SystemNoteKind::AutomaticMerge => "clock",
        SystemNoteKind::Commits => "git-commit-horizontal",
        SystemNoteKind::Mention => "link",
        SystemNoteKind::Task => "list-checks",
        SystemNoteKind::Draft => "git-pull-request-draft",
        SystemNoteKind::Locked | SystemNoteKind::Unlocked => "lock",
        SystemNoteKind::Confidentiality => "eye-off",
        SystemNoteKind::Branch => "git-branch",
        SystemNoteKind::Resolved | SystemNoteKind::Approved => "check",
        SystemNoteKind::Moved => "arrow-right",
        SystemNoteKind::ChangesRequested => "file-diff",
        SystemNoteKind::Edited => "pencil",
    }
}

impl NoteCard {
    /// The icon of a note of the server.
    pub(crate) const fn icon(&self) -> &'static str {
        self.icon
    }

    /// The path of the form of its tasks, below the issue or merge request.
    pub(crate) fn task_path(&self) -> String {
        format!("/notes/{}", self.id)
    }
}

impl DraftPlace {
    /// The note whose text is changed.
    pub(crate) const fn note(&self) -> Option<NoteId> {
        match self {
            Self::Note(id) => Some(*id),
            Self::Comment | Self::Reply(_) | Self::Line(_) | Self::Review(_) | Self::Move | Self::Fact(_) => None,
            Self::Tasks(id) => *id,
        }
    }
}

/// The time until which a page that is begun now compares the words of all its suggestions.
pub(crate) fn words_until(limits: &PageLimits) -> Instant {
    Instant::now() + limits.words.duration()
}

impl Talk {
    /// A conversation. The words of its suggestions are compared until then ([`words_until`]).
    pub(crate) fn new(
        frame: &Frame,
        found: Conversation,
        awards: &HashMap<Option<NoteId>, Vec<AwardCount>>,
        draft: Option<&Draft>,
        compared_until: Instant,
    ) -> Self {
        let pages = Pagination::of(&found.threads);
        let (number, size) = (pages.number, found.threads.request.per_page());
        let before = (number - 1) * size;
        let shown = i64::try_from(found.threads.items.len()).unwrap_or(i64::MAX);
        let after = (pages.total - before - shown).max(0);
        let words =
            |number: i64, which: &str| (number > 0).then(|| format!("Show {} {which}", count(number, "item", "items")));
        Self {
            earlier: words(before, "before"),
            later: words(after, "after"),
            threads: found
                .threads
                .items
                .into_iter()
                .map(|thread| view(frame, thread, awards, draft, compared_until))
                .collect(),
            pages,
            changes: Vec::new(),
        }
    }

    /// Adds changes of labels, which lead to this list of the project. Each stands before the first thread that began later.
    pub(crate) fn with_changes(mut self, frame: &Frame, project: &str, list: &str, changes: Placed) -> Self {
        let badge = |label: &Label| {
            let description = label.description.as_deref().unwrap_or_default();
            LabelBadge::new(project, list, &label.name, &label.color, description)
        };
        let note = |(place, changes): (usize, LabelChanges)| {
            let note = LabelNote {
                author: changes.by.as_ref().map(|user| PersonLink::new(frame, user)),
                at: changes.at.into(),
                added: changes.added.iter().map(badge).collect(),
                removed: changes.removed.iter().map(badge).collect(),
            };
            (place, note)
        };
        self.changes = changes.into_iter().map(note).collect();
        self
    }

    /// The changes of labels that stand behind this number of threads, and before the next one.
    pub(crate) fn changes_after(&self, threads: usize) -> impl Iterator<Item = &LabelNote> {
        self.changes.iter().filter(move |(place, _)| *place == threads).map(|(_, note)| note)
    }
}

/// A thread, as pages show it. The words of its suggestions are compared until then ([`words_until`]).
pub(crate) fn view(
    frame: &Frame,
    thread: Thread,
    awards: &HashMap<Option<NoteId>, Vec<AwardCount>>,
    draft: Option<&Draft>,
    compared_until: Instant,
) -> ThreadView {
    let gaps = gaps(&thread.kept, thread.length);
    let place = DraftPlace::Reply(thread.id.clone());
    let line = thread.position.as_ref().map(spot);
    ThreadView {
        notes: thread.notes.into_iter().map(|note| card(frame, note, awards, draft, compared_until)).collect(),
        may_reply: thread.may_reply,
        resolved: thread.resolved,
        draft: draft.filter(|draft| draft.place == place).cloned(),
        id: thread.id,
        line,
        quoted: Vec::new(),
        drafts: Vec::new(),
        gaps,
        beside: None,
    }
}

/// Links the discussions of a page, each with those beside it. The last one is before the first.
pub(crate) fn link(mut threads: Vec<&mut ThreadView>) {
    threads.retain(|thread| !thread.is_alone());
    let ids: Vec<String> = threads.iter().map(|thread| thread.id.clone()).collect();
    let count = ids.len();
    for (at, thread) in threads.into_iter().enumerate().filter(|_| count > 1) {
        thread.beside = ids.get((at + count - 1) % count).cloned().zip(ids.get((at + 1) % count).cloned());
    }
}

/// The line of a position.
fn spot(position: &DiffPosition) -> LineSpot {
    let (side, number) = match (position.new_line, position.old_line) {
        (Some(line), _) => ("", line),
        (None, Some(line)) => ("old ", line),
        (None, None) => ("", 1),
    };
    LineSpot {
        path: FilePath::from_stored(&position.new_path).legible(),
        words: format!("{side}line {number}"),
        below: address(position),
    }
}

fn card(
    frame: &Frame,
    shown: ShownNote,
    awards: &HashMap<Option<NoteId>, Vec<AwardCount>>,
    draft: Option<&Draft>,
    compared_until: Instant,
) -> NoteCard {
    let note = &shown.view.note;
    let place = DraftPlace::Note(note.id);
    let (tasks, html) = TaskForm::new(format!("tasks-{}", note.id), shown.tasks.as_ref(), shown.html);
    let refused = draft.filter(|draft| draft.place == DraftPlace::Tasks(Some(note.id)));
    NoteCard {
        tasks,
        refusal: refused.and_then(|draft| draft.problems.iter().next()).map(|problem| problem.text.clone()),
        id: note.id.get(),
        author: shown.view.author.as_ref().map(|user| PersonLink::new(frame, user)),
        at: note.created_at.into(),
        // Moving or resolving a thread changes the time of its notes too.
        edited: (note.updated_at > note.created_at && !note.system && note.resolved.is_none())
            .then(|| note.updated_at.into()),
        is_system: note.system,
        icon: if note.system { icon_of(&note.body) } else { "" },
        awards: awards.get(&Some(note.id)).cloned().unwrap_or_default(),
        draft: draft.filter(|draft| draft.place == place && shown.may_change).cloned(),
        resolved: note.resolved.map(|resolution| Resolved {
            by: shown.view.resolved_by.as_ref().map(|user| user.name.clone()),
            at: resolution.at.into(),
        }),
        parts: parts(&html, &shown.view.suggestions, compared_until),
        html,
        may_change: shown.may_change,
    }
}

/// The address of the line of a difference at which a thread stands, below its merge request.
pub(crate) fn address(position: &DiffPosition) -> String {
    let (old, new) = (position.old_line.unwrap_or(0), position.new_line.unwrap_or(0));
    format!("/diffs#{}_{old}_{new}", crate::parts::diff::anchor(FilePath::from_stored(&position.new_path).as_kept()))
}

//! The changes of a merge request, line by line, with the threads on lines.

use std::collections::HashMap;

use actix_web::http::StatusCode;
use actix_web::rt::task::yield_now;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::merge_request::{self, AskedDifference, DifferencePage, DifferingFiles};
use tenon_app::note::{self, Thread};
use tenon_app::repository::WhiteSpace;
use tenon_app::{App, Query, user};
use tenon_domain::direction::written_out;
use tenon_domain::file_path;
use tenon_domain::id::{NoteId, VersionId};
use tenon_domain::merge_request::{DiffRefs, Version};
use tenon_domain::note::Note;

use super::about::{about, is_about, on_other_files, threads_by_path};
use super::approvals::ApprovalsLine;
use super::below::{Below, LineForm};
use super::beside::{DiffRow, Pair, side_by_side};
use super::changed_tree::{self, ChangedStep, ListedFile};
use super::commits::{self, top};
use super::file_pager::{FilePager, to_file};
use super::frame::{Part, RequestFrame};
use super::line::{Older, by_path, needed};
use super::placing::Placing;
use super::query::{Queries, join, queries};
use super::review::{self, Review, ReviewFound, Standing, Waiting};
use super::show::reference;
use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::ProjectFrame;
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::error::PageError;
use crate::kit::parameters::Parameters;
use crate::kit::words::Moment;
use crate::parts::diff::{ChangedFile, TOO_MUCH, all_changed, is_parallel, white_space};
use crate::parts::issuable::changed;
use crate::parts::issuable::difference_query::{SEEN, file, kept, only};
use crate::parts::issuable::excerpt::Excerpt;
use crate::parts::issuable::side::Facts;
use crate::parts::issuable::talk::{Draft, DraftPlace, ThreadView, link, words_until};

#[derive(Template)]
#[template(path = "merge_request/changes.html")]
struct ChangesPage {
    frame: Frame,
    project: ProjectFrame,
    facts: Facts,
    request: RequestFrame,
    review: Review,
    approvals: ApprovalsLine,
    /// The number of all files of the difference, and the tree of them.
    count: usize,
    tree: Vec<ChangedStep>,
    files: Vec<FileView>,
    /// The links to the file before and after, if the page shows one of several files at a time.
    pager: Option<FilePager>,
    /// The number of viewed files, and their share in percent. None if the page does not record them.
    viewed: Option<(usize, usize)>,
    /// True if the page shows the changes since the caller last looked. These include changes that came from the
    /// target.
    is_since_seen: bool,
    with_target: bool,
    /// Threads on files that no longer differ, or are not shown.
    elsewhere: Vec<ThreadView>,
    /// The only file that is shown, if the address selects one.
    only: Option<String>,
    /// True if there are more files, or more lines, than are shown.
    is_cut: bool,
    is_parallel: bool,
    /// The query of the same difference with all files.
    whole: String,
    versions: Vec<Choice>,
    starts: Vec<Choice>,
    /// The query of this difference without the mode. The next one has the other mode.
    query: String,
    other_mode: String,
    /// The same with white space if it is left out, and without it otherwise.
    other_space: String,
    ignores_space: bool,
    /// The same query with the version that is shown: a comment is about its lines.
    pinned: String,
    /// A comment on a line that is not among those that are shown.
    lost: Option<LineForm>,
    /// The form that the script copies to a line.
    blank: Option<LineForm>,
    /// True if a comment on a line can be begun here.
    may_comment: bool,
    added: usize,
    removed: usize,
}

/// A file with its threads and drafts.
struct FileView {
    file: ChangedFile,
    rows: Vec<DiffRow>,
    pairs: Vec<Pair>,
    outdated: Vec<ThreadView>,
    viewed: Viewed,
    /// The query that shows it alone, if it is too large to be shown with others.
    alone: String,
}

/// The state of a file in the caller's review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Viewed {
    #[default]
    No,
    Yes,
    /// Viewed, but it has changed since then.
    Before,
}

impl Viewed {
    fn of(file: &ChangedFile, noted: Option<&String>) -> Self {
        match noted {
            // Changes that are too large to be shown with others have no digest, so nothing is known of them here.
            Some(_) if file.digest.is_empty() => Self::No,
            Some(digest) if *digest == file.digest => Self::Yes,
            Some(_) => Self::Before,
            None => Self::No,
        }
    }
}

impl FileView {
    fn is_viewed(&self) -> bool {
        self.viewed == Viewed::Yes
    }

    fn was_viewed(&self) -> bool {
        self.viewed == Viewed::Before
    }
}

/// The data of the page.
pub(crate) struct PageData {
    both: commits::PageData,
    difference: DifferencePage,
    threads: Vec<Thread>,
    review: ReviewFound,
    draft: Option<Draft>,
    /// True if the caller wants to see one file at a time.
    file_by_file: bool,
}

pub(super) fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<PageData, AppError> {
    read_with(query, asked, None)
}

/// The same, if the form of a note is open.
fn read_with(query: &mut Query<'_>, asked: &ProjectRequest, open: Option<NoteId>) -> Result<PageData, AppError> {
    let of = reference(&asked.project, asked.iid()?);
    let wanted = AskedDifference {
        version: asked.query.number("diff_id").map(VersionId::new),
        start: asked.query.text("start_sha").map(str::to_owned),
        since_seen: asked.query.text("since") == Some(SEEN),
        file: file(&asked.query),
    };
    let excerpt = Excerpt::parse(&asked.query, open);
    let threads = note::on_lines(query, &of, &|notes: &[Note]| excerpt.kept(notes))?;
    let review = review::read(query, asked)?;
    let preferences = query.caller.user.is_some().then(|| user::preferences(query)).transpose()?;
    Ok(PageData {
        file_by_file: preferences.unwrap_or_default().view_diffs_file_by_file,
        both: commits::read(query, asked)?,
        difference: merge_request::difference_page(query, &of, wanted)?,
        draft: opened(&asked.query, &threads).or_else(|| review::opened(&asked.query, &review)),
        threads,
        review,
    })
}

/// The form that the address opens: that of a note, or of a line.
fn opened(asked: &Parameters, threads: &[Thread]) -> Option<Draft> {
    if let Some(id) = asked.number("edit_note").map(NoteId::new) {
        let mut notes = threads.iter().flat_map(|thread| &thread.notes);
        let note = notes.find(|note| note.view.note.id == id && note.may_change)?;
        return Some(Draft::of(note));
    }
    let line = asked.text("comment")?.to_owned();
    Some(Draft { place: DraftPlace::Line(line), ..Draft::default() })
}

pub(super) async fn show(context: ProjectContext, found: PageData) -> Result<Answer, PageError> {
    if let Some(part) = changed::asked_for(&context) {
        return changed::part(context, part, found.draft).await;
    }
    Box::pin(present(context, found, None)).await
}

/// The page with a form as it was sent. 422 if the form has an error.
pub(crate) async fn again(context: ProjectContext, draft: Draft) -> Result<Answer, PageError> {
    let (asked, open) = (context.asked.clone(), draft.place.note());
    let (frame, found) = context.request.read(move |query| read_with(query, &asked, open)).await?;
    let status = if draft.preview.is_some() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    Ok(Box::pin(present(ProjectContext { frame, ..context }, found, Some(draft))).await?.status(status))
}

async fn present(context: ProjectContext, found: PageData, draft: Option<Draft>) -> Result<Answer, PageError> {
    let PageData { both, difference, threads, review, draft: opened, file_by_file } = found;
    let draft = draft.or(opened);
    let app = context.request.app();
    let white_space = white_space(&context.request).await?;
    let ignores_space = white_space == WhiteSpace::Ignored;
    let DifferingFiles { files: listed, overflow, with_target, sides } = difference.files(app, white_space).await?;
    let refs = difference.refs.clone();
    let older = older(app, &difference, &threads, &both.request.versions).await?;
    let head = refs.as_ref().map(|refs| refs.head.clone()).unwrap_or_default();
    let shown = all_changed(app, sides.as_ref(), listed, &head).await?;
    let is_cut = overflow || shown.iter().any(|file| file.note == TOO_MUCH);
    let is_parallel = is_parallel(&context.request);
    let (project, mut facts, request) = top(&context, &both, Part::Changes).await;
    (facts.below, facts.suggestions, facts.may_apply) = ("/diffs", both.request.suggestions, both.request.may.push);
    // A difference without white space lacks lines that count for positions.
    let is_from_base = difference.start.is_none() && difference.since.is_none();
    let may_comment = facts.may.comment && is_from_base && refs.is_some() && !ignores_space;
    let (mut files, mut elsewhere) = (Vec::new(), Vec::new());
    let mut threads_of = threads_by_path(threads);
    let ReviewFound { drafts, progress } = review;
    let count = drafts.len();
    let Queries { query, other_mode, other_space, pinned, whole, of_files } =
        queries(&context, &both, &difference, is_parallel, ignores_space);
    let mut placing = Placing {
        frame: &context.frame,
        awards: &both.page.awards,
        draft: draft.as_ref(),
        query: &query,
        refs: refs.as_ref(),
        older: &older,
        waiting: Waiting::new(drafts, draft.as_ref()),
        ignores_space,
        compared_until: words_until(&app.limits().pages),
    };
    let is_signed_in = context.frame.user.is_some();
    let notes_views = is_signed_in && difference.version.is_none() && is_from_base && !ignores_space;
    for file in shown {
        let (below, outdated) = placing.in_file(&file, about(&file, &mut threads_of));
        let viewed = Viewed::of(&file, progress.viewed.get(&file.path).filter(|_| notes_views));
        let form = draft.as_ref().zip(refs.as_ref()).filter(|_| may_comment);
        let file = file_view(file, below, outdated, form, is_parallel);
        files.push(FileView { viewed, ..file });
        // Other requests are answered on the same thread.
        yield_now().await;
    }
    let gone = on_other_files(threads_of, &difference, draft.as_ref());
    elsewhere.extend(gone.into_iter().map(|thread| placing.thread(thread)));
    let review = Review::new(
        count,
        placing.waiting,
        &both.request,
        &Standing { progress: &progress, is_signed_in, may_comment: facts.may.comment },
    );
    for view in files.iter_mut().filter(|view| view.file.note == TOO_MUCH && difference.file.is_none()) {
        view.alone = join(&query, &only(&view.file.kept));
    }
    let ((added, removed), viewed) = (changed_lines(&files), notes_views.then(|| viewed(&files)));
    let is_paged = file_by_file && difference.file.is_none() && files.len() > 1;
    let pager =
        is_paged.then(|| FilePager::new(context.request.parameters(), open_file(&files), files.len(), &of_files));
    let listed = list(&files, &facts.href, pager.as_ref().map(|_| of_files.as_str()));
    if let Some(pager) = &pager {
        files = files.into_iter().skip(pager.number - 1).take(1).collect();
    }
    link(in_order(&mut elsewhere, &mut files));
    facts.kept = if query.is_empty() { String::new() } else { format!("?{query}") };
    let lost = draft.as_ref().and_then(|draft| lost(&context, draft, &files));
    let (versions, starts) = choices(&both, &difference);
    Answer::cacheable(&ChangesPage {
        added,
        removed,
        count: listed.len(),
        tree: changed_tree::steps(&listed),
        approvals: ApprovalsLine::new(&context.frame, &both.request),
        pager,
        frame: context.frame,
        project,
        facts,
        request,
        viewed,
        is_since_seen: difference.since.is_some(),
        with_target,
        review,
        files,
        elsewhere,
        only: difference.file.map(|(_, after)| written_out(&file_path::shown(&after))),
        is_cut,
        is_parallel,
        whole,
        versions,
        starts,
        query,
        other_mode,
        other_space,
        ignores_space,
        pinned,
        lost,
        blank: refs.as_ref().filter(|_| may_comment).map(LineForm::blank),
        may_comment,
    })
}

/// The numbers of added and removed lines.
fn changed_lines(files: &[FileView]) -> (usize, usize) {
    files.iter().fold((0, 0), |(added, removed), view| (added + view.file.added, removed + view.file.removed))
}

/// The number of viewed files, and their share in percent.
fn viewed(files: &[FileView]) -> (usize, usize) {
    let number = files.iter().filter(|view| view.is_viewed()).count();
    (number, number * 100 / files.len().max(1))
}

/// The list of the files. If one file is shown at a time, `of_files` is the address to which the number of one is added.
fn list(files: &[FileView], href: &str, of_files: Option<&str>) -> Vec<ListedFile> {
    let listed = |(number, view): (usize, &FileView)| {
        ListedFile::new(href, of_files.map(|of_files| to_file(of_files, number)), &view.file, view.is_viewed())
    };
    (1..).zip(files).map(listed).collect()
}

/// The number of the file with an open form.
fn open_file(files: &[FileView]) -> Option<usize> {
    let has_form = |view: &FileView| {
        let rows = view.rows.iter().map(|row| &row.below);
        rows.chain(view.pairs.iter().flat_map(|pair| &pair.below)).any(|below| below.form.is_some())
    };
    files.iter().position(has_form).map(|index| index + 1)
}

/// The threads in the order of the page.
fn in_order<'t>(elsewhere: &'t mut [ThreadView], files: &'t mut [FileView]) -> Vec<&'t mut ThreadView> {
    let of_file = |view: &'t mut FileView| {
        let rows = view.rows.iter_mut().map(|row| &mut row.below);
        let below = rows.chain(view.pairs.iter_mut().flat_map(|pair| &mut pair.below));
        view.outdated.iter_mut().chain(below.flat_map(|below| &mut below.threads))
    };
    elsewhere.iter_mut().chain(files.iter_mut().flat_map(of_file)).collect()
}

/// The older versions that threads are about. If one file alone is requested, the threads about other files are not
/// shown.
async fn older(
    app: &App,
    difference: &DifferencePage,
    threads: &[Thread],
    versions: &[Version],
) -> Result<Older, PageError> {
    let mut older = Older::new();
    let Some(refs) = &difference.refs else { return Ok(older) };
    let is_here = |thread: &&Thread| difference.file.as_ref().is_none_or(|file| is_about(thread, file));
    for version in needed(threads.iter().filter(is_here), refs, versions) {
        let files = by_path(difference.files_of(app, &version).await?);
        older.insert((version.base, version.head), files);
    }
    Ok(older)
}

/// The draft of a comment on a line that no file shows. A draft that was only begun has no text that could be lost.
fn lost(context: &ProjectContext, draft: &Draft, files: &[FileView]) -> Option<LineForm> {
    let DraftPlace::Line(line) = &draft.place else { return None };
    let rows = files.iter().flat_map(|view| &view.rows).map(|row| &row.below);
    let pairs = files.iter().flat_map(|view| &view.pairs).flat_map(|pair| &pair.below);
    let is_shown = rows.chain(pairs).any(|below| below.form.is_some());
    let form = context.request.form();
    if is_shown || !form.has("note", "note") {
        return None;
    }
    Some(LineForm::sent(line, form, draft.clone()))
}

/// The address of one file of a difference, as older links have it.
pub(super) async fn for_path(context: ProjectContext) -> Result<Answer, PageError> {
    let narrowed = kept(context.request.parameters());
    Ok(Answer::to(&context.address(&format!("/merge_requests/{}/diffs{narrowed}", context.asked.iid()?))))
}

/// The versions that can be shown, and those that they can be compared with.
fn choices(both: &commits::PageData, difference: &DifferencePage) -> (Vec<Choice>, Vec<Choice>) {
    let all = &both.request.versions;
    let newest = all.first().map(|version| version.id);
    let is_newest = difference.version.is_none() || difference.version == newest;
    let mut versions = vec![Choice::new("", "newest", is_newest)];
    let mut starts = vec![Choice::new("", "the target branch", difference.start.is_none())];
    // Only the newest of all versions are known.
    for (number, version) in (1..=both.request.versions_total).rev().zip(all).skip(1) {
        let (head, moment) = (version.diff.head.get(..8).unwrap_or_default(), Moment::from(version.created_at));
        let text = format!("version {number} ({head}, {})", moment.words);
        versions.push(Choice::new(&version.id.to_string(), &text, difference.version == Some(version.id)));
        let is_start = difference.start.as_deref() == Some(version.diff.head.as_str());
        starts.push(Choice::new(&version.diff.head, &text, is_start));
    }
    (versions, starts)
}

/// A file with its lines, and the threads and forms below each.
fn file_view(
    mut file: ChangedFile,
    mut below: HashMap<String, Below>,
    outdated: Vec<ThreadView>,
    draft: Option<(&Draft, &DiffRefs)>,
    is_parallel: bool,
) -> FileView {
    let mut rows = Vec::with_capacity(file.lines.len());
    for line in std::mem::take(&mut file.lines) {
        let numbers = line.numbers();
        let id = if line.is_line() { format!("{}_{numbers}", file.anchor) } else { String::new() };
        let mut below = if line.is_line() { below.remove(&numbers).unwrap_or_default() } else { Below::default() };
        below.id.clone_from(&id);
        let is_here = |draft: &Draft| matches!(&draft.place, DraftPlace::Line(line) if *line == id) && !id.is_empty();
        let draft = draft.filter(|(draft, _)| is_here(draft));
        below.form = draft.map(|(draft, refs)| LineForm::at(&line, &id, &file, refs, draft.clone()));
        rows.push(DiffRow { line, id, below });
    }
    let pairs = if is_parallel { side_by_side(std::mem::take(&mut rows)) } else { Vec::new() };
    FileView { file, rows, pairs, outdated, viewed: Viewed::No, alone: String::new() }
}

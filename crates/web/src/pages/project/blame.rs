//! The commits from which the lines of a file come.

use std::sync::Arc;

use askama::Template;
use tenon_app::error::AppError;
use tenon_app::highlighter::Source;
use tenon_app::repository::{self, BLAME_LINES, BlamePage, BlamedLines, Browsed};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;

use super::file::FileFacts;
use super::spot::Spot;
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::{in_path, in_query};
use crate::kit::answer::Answer;
use crate::kit::code::{Lines, Word};
use crate::kit::error::PageError;
use crate::kit::pagination::Pagination;
use crate::kit::text;
use crate::parts::commit_line::{CommitLine, find_faces};

#[derive(Template)]
#[template(path = "project/blame.html")]
struct ShowPage {
    frame: Frame,
    project: ProjectFrame,
    spot: Spot,
    last: Option<CommitLine>,
    facts: FileFacts,
    groups: Vec<Group>,
    lines: Option<Lines>,
    /// The number of the first line.
    first: usize,
    /// The reason why there are no lines. Empty if there are.
    note: &'static str,
    pages: Pagination,
}

/// Lines next to each other that come from one commit.
struct Group {
    commit: CommitLine,
    /// The age of the lines among those of the page, from 1 (newest) to 6.
    age: i64,
    /// The address of the file before that commit, below the project.
    before: Option<String>,
    /// The number of lines.
    count: usize,
}

/// A line of the page.
struct Row<'a> {
    number: usize,
    words: Vec<Word<'a>>,
    /// The group that begins with this line.
    group: Option<&'a Group>,
}

impl ShowPage {
    /// The lines of the page, each group at its first line.
    fn rows(&self) -> Vec<Row<'_>> {
        let begins = self.groups.iter().flat_map(|group| {
            let others = std::iter::repeat_n(None, group.count.saturating_sub(1));
            std::iter::once(Some(group)).chain(others)
        });
        let lines = self.lines.iter().flat_map(Lines::lines);
        let row = |((at, words), group)| Row { number: self.first.saturating_add(at), words, group };
        lines.enumerate().zip(begins).map(row).collect()
    }
}

/// Steps of age.
const STEPS: i64 = 6;

/// The groups, with their ages between the newest and the oldest one.
fn groups(blamed: Vec<BlamedLines>) -> Vec<Group> {
    let times = blamed.iter().map(|group| group.commit.committer.at);
    let ends = (times.clone().max(), times.min());
    blamed.into_iter().map(|group| Group::new(group, ends)).collect()
}

impl Group {
    fn new(group: BlamedLines, ends: (Option<Timestamp>, Option<Timestamp>)) -> Self {
        let at = group.commit.committer.at;
        let seconds = |end: Option<Timestamp>| end.unwrap_or(at).timestamp();
        let (newest, oldest) = (seconds(ends.0), seconds(ends.1));
        let steps = STEPS * newest.saturating_sub(at.timestamp()) / newest.saturating_sub(oldest).saturating_add(1);
        Self {
            commit: group.commit.into(),
            age: steps.clamp(0, STEPS - 1) + 1,
            before: group.previous.map(|(commit, path)| format!("/blame/{commit}/{}", in_path(path.as_kept()))),
            count: group.count,
        }
    }
}

pub(super) async fn show(context: ProjectContext) -> Result<Answer, PageError> {
    let asked = context.at();
    let only = asked.only;
    let part = context.request.parameters().number("page").and_then(|part| usize::try_from(part).ok()).unwrap_or(1);
    let found = match repository::blame_page(context.request.app(), context.code()?, asked.clone(), part).await {
        Ok(Browsed::Found(found)) => found,
        Ok(Browsed::Other(located)) => {
            let (revision, path) = (in_path(&located.at.name), in_path(located.path.as_kept()));
            let below = if path.is_empty() { String::new() } else { format!("/{path}") };
            return Ok(Answer::to(&context.address(&format!("/tree/{revision}{below}"))));
        }
        Ok(Browsed::Empty) => return Err(PageError::NotFound),
        Err(AppError::TookTooLong { .. }) => return late(context).await,
        Err(error) => return Err(error.into()),
    };
    let BlamePage { located, groups: blamed, text: bytes, blob, last, size, language, first, total, refs } = found;
    let may_edit = context.may_edit(located.at.kind);
    let spot = Spot::new(&located, refs, only, "blame");
    let note = match &blamed {
        None => "This file is binary or too large to display.",
        Some(_) if total == 0 => "Empty file.",
        Some(groups) if groups.is_empty() => "The file has fewer lines than this page.",
        Some(_) => "",
    };
    let lines = match bytes.filter(|_| note.is_empty()) {
        Some(bytes) => {
            let text: Arc<str> = text::shown(&bytes).into();
            let origin = context.page.view.brief.project.id.into();
            let source = Source { origin, blob, name: spot.last.as_str().into(), text: Arc::clone(&text) };
            let colours = context.request.app().colours_of_file(source).await;
            Some(Lines::new(text, Some(colours), BLAME_LINES).behind(first.saturating_sub(1)))
        }
        None => None,
    };
    let facts = FileFacts { is_blame: true, may_edit, ..FileFacts::new(size, language) };
    let facts = if total > 0 { facts.with_lines(total) } else { facts };
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let pages = Pagination {
        number: count(part),
        last: count(total.div_ceil(BLAME_LINES).max(1)),
        total: count(total),
        is_counted: true,
        address: String::new(),
        query: String::new(),
    };
    let mut groups = groups(blamed.unwrap_or_default());
    let mut last = last.map(CommitLine::from);
    let commits = groups.iter_mut().map(|group| &mut group.commit).chain(&mut last);
    find_faces(&context.request, &context.frame, commits).await?;
    shown(context, Blamed { spot, last, facts, groups, lines, first, note, pages })
}

/// The page if the search for the commits takes too long. It links to the file itself.
async fn late(context: ProjectContext) -> Result<Answer, PageError> {
    let asked = context.at();
    let only = asked.only;
    let found = match repository::file_page(context.request.app(), context.code()?, asked).await? {
        Browsed::Found(found) => found,
        Browsed::Other(_) | Browsed::Empty => return Err(PageError::NotFound),
    };
    let may_edit = context.may_edit(found.located.at.kind);
    let spot = Spot::new(&found.located, found.refs, only, "blame");
    let pages = Pagination::of(&Page::<()>::cut(Vec::new(), PageRequest::default()));
    let facts = FileFacts { is_blame: true, may_edit, ..FileFacts::new(found.size, found.language) };
    let mut last = found.last.map(CommitLine::from);
    find_faces(&context.request, &context.frame, &mut last).await?;
    let note = "Blame for this file takes too long to compute.";
    shown(context, Blamed { spot, last, facts, groups: Vec::new(), lines: None, first: 1, note, pages })
}

/// The parts of the page.
struct Blamed {
    spot: Spot,
    last: Option<CommitLine>,
    facts: FileFacts,
    groups: Vec<Group>,
    lines: Option<Lines>,
    first: usize,
    note: &'static str,
    pages: Pagination,
}

fn shown(context: ProjectContext, blamed: Blamed) -> Result<Answer, PageError> {
    let Blamed { spot, last, facts, groups, lines, first, note, pages } = blamed;
    let api_path = format!("/repository/files/{}/blame?ref={}", in_query(&spot.kept_path), in_query(&spot.name));
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Files).with_api_path(&api_path);
    let pages = pages.with_query(spot.ties);
    Answer::cacheable(&ShowPage { frame: context.frame, project, spot, last, facts, groups, lines, first, note, pages })
}

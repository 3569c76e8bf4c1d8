//! The commits from which the lines of a file come.

use askama::Template;
use tenon_app::error::AppError;
use tenon_app::repository::{self, BLAME_LINES, BlamePage, BlamedLines, Browsed};
use tenon_domain::page::{Page, PageRequest};

use super::spot::Spot;
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::{in_path, in_query};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::Pagination;
use crate::parts::commit_line::CommitLine;

#[derive(Template)]
#[template(path = "project/blame.html")]
struct ShowPage {
    frame: Frame,
    project: ProjectFrame,
    spot: Spot,
    groups: Vec<Group>,
    /// The reason why there are no lines. Empty if there are.
    note: &'static str,
    pages: Pagination,
}

/// Lines next to each other that come from one commit.
struct Group {
    commit: CommitLine,
    /// The address of the file before that commit, below the project.
    before: Option<String>,
    /// The lines, with their numbers.
    lines: Vec<(usize, String)>,
}

impl Group {
    fn new(group: BlamedLines, first: usize) -> Self {
        Self {
            commit: group.commit.into(),
            before: group.previous.map(|(commit, path)| format!("/blame/{commit}/{}", in_path(path.as_kept()))),
            lines: group.lines.into_iter().enumerate().map(|(index, line)| (first + index, line)).collect(),
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
    let BlamePage { located, groups, first, total, refs } = found;
    let spot = Spot::new(&located, refs, only, "blame");
    let note = match &groups {
        None => "This file is no text, or too large to be shown here.",
        Some(_) if total == 0 => "The file is empty.",
        Some(groups) if groups.is_empty() => "The file has fewer lines.",
        Some(_) => "",
    };
    let mut next = first;
    let groups = groups.unwrap_or_default().into_iter().map(|group| {
        let group = Group::new(group, next);
        next += group.lines.len();
        group
    });
    let groups = groups.collect();
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let pages = Pagination {
        number: count(part),
        last: count(total.div_ceil(BLAME_LINES).max(1)),
        total: count(total),
        is_counted: true,
        address: String::new(),
        query: String::new(),
    };
    shown(context, spot, groups, note, pages)
}

/// The page if the search for the commits takes too long. It links to the file itself.
async fn late(context: ProjectContext) -> Result<Answer, PageError> {
    let asked = context.at();
    let only = asked.only;
    let found = match repository::file_page(context.request.app(), context.code()?, asked).await? {
        Browsed::Found(found) => found,
        Browsed::Other(_) | Browsed::Empty => return Err(PageError::NotFound),
    };
    let spot = Spot::new(&found.located, found.refs, only, "blame");
    let pages = Pagination::of(&Page::<()>::cut(Vec::new(), PageRequest::default()));
    shown(context, spot, Vec::new(), "Finding out where these lines come from takes too long.", pages)
}

fn shown(
    context: ProjectContext,
    spot: Spot,
    groups: Vec<Group>,
    note: &'static str,
    pages: Pagination,
) -> Result<Answer, PageError> {
    let api_path = format!("/repository/files/{}/blame?ref={}", in_query(&spot.kept_path), in_query(&spot.name));
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Files).with_api_path(&api_path);
    let pages = pages.with_query(spot.ties);
    Answer::cacheable(&ShowPage { frame: context.frame, project, spot, groups, note, pages })
}

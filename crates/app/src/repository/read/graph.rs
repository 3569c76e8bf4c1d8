//! The graph of commits: which commits follow which, and the branches and tags that point at them.

use tenon_domain::page::{Page, PageRequest};
use tenon_git::commit::{CommitRange, GraphCommit};
use tenon_git::{Oid, RefName};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::repository::read::browse::{Address, Browsed, Located, Place, RefNames, locate, missing, offered};
use crate::repository::read::commit::CommitView;
use crate::repository::read::context::Code;
use crate::repository::read::lanes::{Drawing, Lanes};

/// Commits of a graph, on all its pages. The lines of a page follow from all commits before it.
pub const LONGEST_GRAPH: usize = 5_000;
/// Branches, and tags, that are named at one commit.
const NAMES: usize = 8;

/// Which commits a graph has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphScope {
    /// Those of the branch, tag or commit at the address.
    OfRef,
    /// Those of all branches and tags.
    Everything,
}

/// A commit in a graph.
#[derive(Debug, Clone)]
pub struct GraphRow {
    /// The commit.
    pub commit: CommitView,
    /// Some of the branches that point at it.
    pub branches: Vec<String>,
    /// Some of the tags that point at it.
    pub tags: Vec<String>,
    /// The number of branches and tags that are not named.
    pub unnamed: usize,
    /// The lines in its row.
    pub lanes: Lanes,
}

/// A page of a graph.
#[derive(Debug, Clone)]
pub struct GraphPage {
    /// The place in the address.
    pub located: Located,
    /// The commits. The total is a lower bound, which says if there is a next page.
    pub rows: Page<GraphRow>,
    /// True if the graph ends before the history does.
    pub is_cut: bool,
    /// The other places to which one may go.
    pub refs: RefNames,
}

/// The graph at an address, which names no path. 404 if it names nothing.
pub async fn graph(
    app: &App,
    code: &Code,
    address: Address,
    scope: GraphScope,
    page: PageRequest,
) -> Result<Browsed<GraphPage>, AppError> {
    let Code(code) = code.clone();
    app.on_git_long(move || {
        let Some(Place { commit, located, path: None }) = locate(&code, &address)? else {
            return if address.segments.is_empty() { Ok(Browsed::Empty) } else { Err(missing()) };
        };
        let range = match scope {
            GraphScope::OfRef => CommitRange::From(commit),
            GraphScope::Everything => CommitRange::All,
        };
        let count = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
        let (begin, rows) = (count(page.offset()), count(page.per_page()));
        let end = begin.saturating_add(rows).min(LONGEST_GRAPH);
        // One more commit says if there is a next page.
        let found = code.repository.graph(range, end + 1)?;
        let total = i64::try_from(found.len().min(LONGEST_GRAPH)).unwrap_or(i64::MAX);
        let is_cut = found.len() > LONGEST_GRAPH;
        // The first lane has the default branch, or the one that the graph is of.
        let trunk = match scope {
            GraphScope::OfRef => Some(commit),
            GraphScope::Everything => code.commit_named(None)?,
        };
        let mut drawing = Drawing::new(trunk.filter(|tip| found.iter().any(|commit| commit.id == *tip)));
        let mut drawn: Vec<(GraphCommit, Lanes)> = Vec::new();
        for (place, commit) in found.into_iter().enumerate().take(end) {
            let lanes = drawing.next(commit.id, &commit.parents);
            if place >= begin {
                drawn.push((commit, lanes));
            }
        }
        let ids: Vec<Oid> = drawn.iter().map(|(commit, _)| commit.id).collect();
        let mut commits = code.repository.commits_at(&ids)?;
        let row = |(GraphCommit { id, refs, .. }, lanes)| {
            let commit = CommitView::new(commits.remove(&id)?, &code.pages);
            let (branches, tags) = names(&refs);
            let unnamed = refs.len().saturating_sub(branches.len() + tags.len());
            Some(GraphRow { commit, branches, tags, unnamed, lanes })
        };
        let items = drawn.into_iter().filter_map(row).collect();
        let rows = Page { items, total, request: page };
        Ok(Browsed::Found(GraphPage { located, rows, is_cut, refs: offered(&code)? }))
    })
    .await
}

/// Some names of branches, and some of tags.
fn names(refs: &[RefName]) -> (Vec<String>, Vec<String>) {
    let branches = refs.iter().filter_map(RefName::branch).map(|name| name.as_str().to_owned());
    let tags = refs.iter().filter_map(RefName::tag).map(|name| name.as_str().to_owned());
    (branches.take(NAMES).collect(), tags.take(NAMES).collect())
}

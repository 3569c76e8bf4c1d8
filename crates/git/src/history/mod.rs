//! Questions about history that this process answers itself. It reads the graph of commits that Git writes after each
//! push.
//!
//! Answers are those of `git log` and `git rev-list`. If that is not certain, nothing is answered, and Git is asked.
//! Reasons are a commit that is not written as Git writes commits, a history that is cut off, and objects of another
//! repository. More work than the limits allow is another.

mod bloom;
mod graph;
mod last;
mod last_of_entries;
mod reach;
mod walk;

use crate::cancel::CancelToken;
use crate::commit::parse::{Links, links};
use crate::error::GitError;
use crate::objects::{Header, ObjectKind, Objects};
use crate::oid::Oid;
use crate::repository::Repository;
use graph::Graph;

/// Commits that are read because the graph does not have them yet. Git is quicker if there are more.
const OUTSIDE: usize = 64;
/// Bytes of such a commit.
const COMMIT: u64 = 64 << 10;
/// After how many commits is asked whether the answer is still waited for.
const WATCH: usize = 1024;

/// The reason why nothing is answered.
enum Unanswered {
    /// Git has to be asked.
    Unsure,
    /// It cannot be answered.
    Failed(GitError),
}

impl From<GitError> for Unanswered {
    fn from(error: GitError) -> Self {
        Self::Failed(error)
    }
}

type Walked<T> = Result<T, Unanswered>;

/// The answer; `None` if Git has to be asked.
fn answered<T>(walked: Walked<T>) -> Result<Option<T>, GitError> {
    match walked {
        Ok(answer) => Ok(Some(answer)),
        Err(Unanswered::Unsure) => Ok(None),
        Err(Unanswered::Failed(error)) => Err(error),
    }
}

/// A commit of the history: its place in the graph. The places behind those are for commits that are not in the graph.
type Node = u32;

/// The commits of a repository and how they follow each other.
struct History {
    graph: Graph,
    objects: Objects,
    outside: Vec<(Oid, Links)>,
    steps: usize,
    cancel: Option<CancelToken>,
}

impl History {
    /// The history of a repository. It is unsure if Git would not take the history from the repository alone.
    fn of(repository: &Repository) -> Walked<Self> {
        for name in ["shallow", "info/grafts", "objects/info/alternates"] {
            if repository.path().join(name).symlink_metadata().is_ok() {
                return Err(Unanswered::Unsure);
            }
        }
        Ok(Self {
            graph: Graph::open(repository.path())?,
            objects: repository.objects(),
            outside: Vec::new(),
            steps: 0,
            cancel: CancelToken::current(),
        })
    }

    /// Counts one more commit, and fails if the answer is not waited for any more.
    fn step(&mut self) -> Walked<usize> {
        self.steps += 1;
        let is_cancelled = || self.cancel.as_ref().is_some_and(CancelToken::is_cancelled);
        if self.steps.is_multiple_of(WATCH) && is_cancelled() {
            return Err(Unanswered::Failed(GitError::Cancelled("log")));
        }
        Ok(self.steps)
    }

    fn node(&mut self, id: Oid) -> Walked<Node> {
        if let Some(place) = self.graph.find(id)? {
            return Ok(place);
        }
        let place = match self.outside.iter().position(|(known, _)| *known == id) {
            Some(place) => place,
            None if self.outside.len() >= OUTSIDE => return Err(Unanswered::Unsure),
            None => match self.objects.small(id, COMMIT)? {
                Some((Header { kind: ObjectKind::Commit, .. }, Some(content))) => {
                    self.outside.push((id, links(&content).ok_or(Unanswered::Unsure)?));
                    self.outside.len() - 1
                }
                _ => return Err(Unanswered::Unsure),
            },
        };
        u32::try_from(place).ok().and_then(|place| self.graph.len().checked_add(place)).ok_or(Unanswered::Unsure)
    }

    /// The data of a commit that is not in the graph; `None` for one that is.
    fn outside(&self, node: Node) -> Option<&(Oid, Links)> {
        let place = node.checked_sub(self.graph.len())?;
        self.outside.get(usize::try_from(place).ok()?)
    }

    fn id(&mut self, node: Node) -> Walked<Oid> {
        match self.outside(node) {
            Some((id, _)) => Ok(*id),
            None => self.graph.id(node),
        }
    }

    fn tree(&mut self, node: Node) -> Walked<Oid> {
        match self.outside(node) {
            Some((_, links)) => Ok(links.tree),
            None => self.graph.commit(node).map(|commit| commit.tree),
        }
    }

    /// When it was committed, as Git compares it.
    fn seconds(&mut self, node: Node) -> Walked<u64> {
        match self.outside(node) {
            Some((_, links)) => Ok(u64::try_from(links.seconds).unwrap_or_default()),
            None => self.graph.commit(node).map(|commit| commit.seconds),
        }
    }

    fn parents(&mut self, node: Node) -> Walked<Vec<Node>> {
        match self.outside(node) {
            Some((_, links)) => {
                let parents = links.parents.clone();
                parents.into_iter().map(|parent| self.node(parent)).collect()
            }
            None => self.graph.commit(node).map(|commit| commit.parents),
        }
    }
}

//! The last commit that changed a path.
//!
//! `git log --max-count=1 <commit> -- <path>` follows one line. If a parent has the same at the path, it goes on with
//! the first such parent. If none has, the commit itself is the answer.

use tenon_domain::file_path::bytes_of;

use super::bloom::Key;
use super::{History, Node, Unanswered, Walked};
use crate::commit::{CommitQuery, CommitRange};
use crate::error::GitError;
use crate::mode::Mode;
use crate::objects::{Header, ObjectKind};
use crate::oid::Oid;
use crate::remembered::Question;
use crate::repository::Repository;
use crate::stored_tree::stored_entries;
use crate::tree_path::LookupPath;

/// Directories that are read. Git is quicker if there are more.
const TREES: usize = 64;
/// Bytes of one of them. A larger one is left to Git.
const LARGEST: u64 = 1 << 20;

/// The question for the last commit, from this one backwards, that changed this path.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct LastCommit(pub(super) Oid, pub(super) LookupPath);

impl Question for LastCommit {
    type Answer = Option<Oid>;
}

/// How far a search has come.
enum Reached {
    /// The answer.
    End(Option<Oid>),
    /// The answer is that of this commit: Git has to be asked.
    Commit(Oid),
}

impl Repository {
    /// The last commit, from `from` backwards, that changed `path`; `None` if none did. The commit must be known to be
    /// in this repository: the answer is remembered.
    pub fn last_commit_id(&self, from: Oid, path: &LookupPath) -> Result<Option<Oid>, GitError> {
        let found = self.remember(LastCommit(from, path.clone()), || {
            let start = match self.search_back(from, path) {
                Ok(Reached::End(found)) => return Ok(found),
                Ok(Reached::Commit(reached)) => reached,
                Err(Unanswered::Unsure) => from,
                Err(Unanswered::Failed(error)) => return Err(error),
            };
            let query = CommitQuery { path: Some(path.clone()), ..CommitQuery::new(CommitRange::From(start)) };
            Ok(self.commit_ids(&query, 1)?.pop())
        })?;
        Ok(*found)
    }

    fn search_back(&self, from: Oid, path: &LookupPath) -> Walked<Reached> {
        let most = self.limits().reads.walked_commits;
        let mut history = History::of(self)?;
        let mut trees = Trees { path, left: TREES };
        let key = Key::of(path.as_kept());
        let mut node = history.node(from)?;
        let mut own = None;
        loop {
            if history.step()? > most {
                return history.id(node).map(Reached::Commit);
            }
            match back(&mut history, &mut trees, key, node, own) {
                Ok(Back::To(parent, entry)) => (node, own) = (parent, entry),
                Ok(Back::Changed) => return history.id(node).map(|id| Reached::End(Some(id))),
                Ok(Back::Nothing) => return Ok(Reached::End(None)),
                // The findings so far are valid.
                Err(Unanswered::Unsure) => return history.id(node).map(Reached::Commit),
                Err(failed) => return Err(failed),
            }
        }
    }
}

/// The next step of the search from a commit.
enum Back {
    /// To this parent, which has the same at the path: this, if it was read.
    To(Node, Option<Entry>),
    /// It ends here: the commit changes the path.
    Changed,
    /// It ends here: the path never was there.
    Nothing,
}

/// The entry at the path: nothing, or an object with a mode. The modes are compared as Git compares them.
type Entry = Option<(Mode, Oid)>;

fn back(
    history: &mut History,
    trees: &mut Trees<'_>,
    key: Option<Key>,
    node: Node,
    own: Option<Entry>,
) -> Walked<Back> {
    let parents = history.parents(node)?;
    if let (Some(first), Some(key)) = (parents.first(), key)
        && history.outside(node).is_none()
        && history.graph.leaves_alone(node, key)?
    {
        return Ok(Back::To(*first, own));
    }
    let tree = history.tree(node)?;
    let own = match own {
        Some(entry) => entry,
        None => trees.entry(history, tree)?,
    };
    for parent in &parents {
        let theirs = history.tree(*parent)?;
        let theirs = if theirs == tree { own } else { trees.entry(history, theirs)? };
        if theirs == own {
            return Ok(Back::To(*parent, Some(own)));
        }
        // If two directories or submodules differ, their contents decide.
        if [own, theirs].iter().flatten().any(|(mode, _)| !mode.is_blob()) {
            return Err(Unanswered::Unsure);
        }
    }
    match own {
        Some((Mode::Tree | Mode::Submodule, _)) => Err(Unanswered::Unsure),
        None if parents.is_empty() => Ok(Back::Nothing),
        _ => Ok(Back::Changed),
    }
}

/// The directories on the way to the path.
struct Trees<'a> {
    path: &'a LookupPath,
    /// How many may still be read.
    left: usize,
}

impl Trees<'_> {
    /// The entry at the path, below this tree.
    fn entry(&mut self, history: &mut History, tree: Oid) -> Walked<Entry> {
        let mut tree = tree;
        let path = self.path;
        let mut names = path.as_kept().split('/').peekable();
        while let Some(name) = names.next() {
            self.left = self.left.checked_sub(1).ok_or(Unanswered::Unsure)?;
            let found = history.objects.small(tree, LARGEST)?;
            let Some((Header { kind: ObjectKind::Tree, .. }, Some(content))) = found else {
                return Err(Unanswered::Unsure);
            };
            let (mut found, wanted) = (None, bytes_of(name).ok_or(Unanswered::Unsure)?);
            for entry in stored_entries(&content) {
                let (mode, entry_name, id) = entry.ok_or(Unanswered::Unsure)?;
                if entry_name == wanted.as_ref() {
                    found = Some((Mode::read(mode).ok_or(Unanswered::Unsure)?, id));
                    break;
                }
            }
            match (found, names.peek()) {
                (found, None) => return Ok(found),
                (Some((Mode::Tree, id)), Some(_)) => tree = id,
                _ => return Ok(None),
            }
        }
        Ok(None)
    }
}

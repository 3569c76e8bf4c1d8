//! Merging, in a repository without a working tree.

mod accept;
mod conflicted;
mod replay;

use std::time::Duration;

use crate::command::budget::Budget;
use crate::command::{failure, lossy};
use crate::error::GitError;
use crate::name::RefName;
use crate::oid::Oid;
use crate::remembered::Question;
use crate::repository::Repository;
use crate::signature::Signature;
use crate::write::object::Text;
use crate::write::{RefChange, Refusal, WriteError};

pub use accept::{Accepted, MergeMethod, MergeRequest, Squash};
pub use conflicted::{Conflicted, ConflictedFile};

/// The answer to the question whether two commits can be merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeCheck {
    /// Yes; this is the merged tree.
    Clean(Oid),
    /// No: these files are in conflict.
    Conflicts(Vec<String>),
    /// No: they have no common ancestor.
    Unrelated,
}

/// The files in which two commits are in conflict.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Conflicts {
    target: Oid,
    source: Oid,
}

impl Question for Conflicts {
    type Answer = Vec<String>;
}

impl Repository {
    /// Checks whether `source` can be merged into `target`, as `git merge` would. May write objects, but no ref. Fails
    /// if a commit is not there.
    pub fn merge_check(&self, target: Oid, source: Oid) -> Result<MergeCheck, GitError> {
        match self.merge_base(&[target, source])? {
            None => Ok(MergeCheck::Unrelated),
            // If one of the two has changed nothing, a merge makes the tree of the other.
            Some(base) if base == target => self.tree_of(source).map(MergeCheck::Clean),
            Some(base) if base == source => self.tree_of(target).map(MergeCheck::Clean),
            Some(_) => self.merge_trees(None, target, source, None),
        }
    }

    /// The files in which `source` and `target` are in conflict; none if they have no common ancestor. May write
    /// objects, but no ref. Fails if a commit is not there, and if it takes longer than `time`.
    pub fn conflicts(&self, target: Oid, source: Oid, time: Duration) -> Result<Vec<String>, GitError> {
        if self.merge_base(&[target, source])?.is_none() {
            return Ok(Vec::new());
        }
        let find = || match self.merge_trees(None, target, source, Some(time))? {
            MergeCheck::Conflicts(paths) => Ok(paths),
            MergeCheck::Clean(_) | MergeCheck::Unrelated => Ok(Vec::new()),
        };
        self.remember(Conflicts { target, source }, find).map(|paths| paths.to_vec())
    }

    /// Makes the difference between `base` and `theirs` again on top of `ours`. Writes objects but no ref. Fails if a
    /// commit is not there, and if it takes longer than `time`.
    pub fn change_onto(&self, base: Oid, theirs: Oid, ours: Oid, time: Duration) -> Result<MergeCheck, GitError> {
        self.merge_trees(Some(base), ours, theirs, Some(time))
    }

    /// Makes a merge commit of this tree and keeps it under `refs/merge-requests/:iid/merge`, where the next one
    /// replaces it.
    pub fn keep_merge(
        &self,
        iid: i64,
        tree: Oid,
        parents: [Oid; 2],
        who: &Signature,
        message: &str,
    ) -> Result<Oid, WriteError> {
        let commit = self.write_commit(tree, &parents, Text { author: who, committer: who, message })?;
        self.update_refs(&[RefChange::Set { name: RefName::merge_request_merge(iid), new: commit }])?;
        Ok(commit)
    }

    /// Merges the difference between `base` and `theirs` into `ours`. Without `base`, Git finds it.
    fn merge_trees(
        &self,
        base: Option<Oid>,
        ours: Oid,
        theirs: Oid,
        time: Option<Duration>,
    ) -> Result<MergeCheck, GitError> {
        let base = base.map(|base| format!("--merge-base={base}"));
        let command = self
            .git("merge-tree")
            .args(["--write-tree", "-z", "--name-only", "--no-messages"])
            .args(base)
            .operands([ours.to_string(), theirs.to_string()])
            .budget(Budget::Transfer);
        let outcome = match time {
            Some(time) => command.time(time).outcome()?,
            None => command.outcome()?,
        };
        let mut fields = outcome.stdout.split(|byte| *byte == 0);
        let tree = fields.next().and_then(Oid::from_bytes);
        match (outcome.code, tree) {
            (Some(0), Some(tree)) => Ok(MergeCheck::Clean(tree)),
            (Some(1), Some(_)) => Ok(MergeCheck::Conflicts(fields.filter(|it| !it.is_empty()).map(lossy).collect())),
            (code, _) => Err(failure("merge-tree", Some(self.path()), code, outcome.log)),
        }
    }
}

impl MergeCheck {
    /// The merged tree, or the refusal.
    fn tree(self) -> Result<Oid, Refusal> {
        match self {
            Self::Clean(tree) => Ok(tree),
            Self::Conflicts(paths) => Err(Refusal::Conflict(paths)),
            Self::Unrelated => Err(Refusal::Conflict(Vec::new())),
        }
    }
}

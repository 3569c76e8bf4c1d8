//! Two revisions side by side.

use crate::commit::{Commit, CommitQuery, CommitRange};
use crate::diff::{Diff, DiffLimits};
use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;

/// The commit with which `to` is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareFrom {
    /// The last commit that both have: the difference is what `to` has changed since.
    MergeBase,
    /// `from` itself.
    Straight,
}

/// The commits and changes that one commit has and another has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The commit from which the difference was taken; `None` if the two have nothing in common.
    pub base: Option<Oid>,
    /// Commits of `to` that `from` has not, oldest first; the newest of them if there are more than were asked for.
    pub commits: Vec<Commit>,
    /// The changed files.
    pub diff: Diff,
}

impl Repository {
    /// The commits and changes that `to` has and `from` has not, with at most `commits` commits. Fails if a commit is
    /// not there.
    pub fn compare(
        &self,
        from: Oid,
        to: Oid,
        way: CompareFrom,
        commits: i64,
        limits: DiffLimits,
    ) -> Result<Comparison, GitError> {
        let mut list = self.commit_list(&CommitQuery::new(CommitRange::Between { from, to }), 0, commits)?;
        list.reverse();
        let base = match way {
            CompareFrom::Straight => Some(from),
            CompareFrom::MergeBase => self.merge_base(&[from, to])?,
        };
        let diff = match base {
            Some(base) if base != to => self.diff(base, to, limits)?,
            Some(_) => Diff::default(),
            None => self.diff(Oid::EMPTY_TREE, to, limits)?,
        };
        Ok(Comparison { base, commits: list, diff })
    }
}

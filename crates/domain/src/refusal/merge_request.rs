//! Why a merge request is not opened, changed or rebased.

/// Why a merge request is not opened, changed or rebased.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeRequestRefusal {
    /// Another open one lies between the same branches; names it.
    #[error("Another open merge request already exists for this source branch: {0}")]
    Duplicated(String),
    /// Source and target are the same branch.
    #[error("You can not use same project/branch for source and target")]
    SameBranch,
    /// The projects are no forks of each other.
    #[error("Source project is not a fork of the target project")]
    NotAFork,
    /// It cannot be merged as it is.
    #[error("Merge request is not mergeable")]
    NotMergeable,
    /// The caller has viewed as many files as are noted.
    #[error("At most {0} files of a merge request are noted as viewed")]
    TooManyViewed(usize),
    /// The branches are in no conflict.
    #[error("There are no conflicts to resolve")]
    NoConflicts,
    /// A file in conflict cannot be resolved here; says which and why.
    #[error("The conflicts cannot be resolved in the browser: {0}")]
    NotResolvable(String),
    /// A conflict of this file was left as it is.
    #[error("Choose a side for each conflict, or edit the text without the marks of conflicts: {0}")]
    Unresolved(String),
}

//! Changes of a repository. Objects first, then refs, each only if it still is what the decision relied on.

pub mod actions;
mod fast_import;
mod fetch;
pub(crate) mod object;
mod reference;

use crate::error::GitError;

pub use reference::RefChange;

/// A change that was not made.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// For a reason that may be shown to the client.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Because something is broken.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// The reason why a change was not made. The repository is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The two sides change the same places; these files.
    #[error("the changes are in conflict")]
    Conflict(Vec<String>),
    /// A ref has another target than the caller has seen.
    #[error("the reference has moved")]
    Stale,
    /// The target is not contained in the source, and no merge commit is allowed.
    #[error("a fast-forward is not possible")]
    NoFastForward,
    /// Nothing would change.
    #[error("there is nothing to change")]
    Empty,
    /// The ref or commit is not there.
    #[error("the reference or commit is not there")]
    Missing,
    /// The ref is there already.
    #[error("the reference is there already")]
    AlreadyExists,
    /// The repository has as many refs as it may have: this many.
    #[error("the repository cannot have more than {0} branches and tags")]
    TooManyRefs(usize),
    /// The message of a commit or tag has more bytes than this.
    #[error("a message cannot have more than {0} bytes")]
    MessageTooLong(u64),
    /// A name is needed as a directory and as a file: `a` and `a/b`.
    #[error("a name cannot be that of a directory and of a file")]
    DirectoryFileConflict,
    /// A file is to be made and is there already.
    #[error("the file {0} is there already")]
    FileExists(String),
    /// A file is to be changed and is not there.
    #[error("the file {0} is not there")]
    FileMissing(String),
    /// A file has changed since the caller has seen it.
    #[error("the file {0} has changed")]
    FileChanged(String),
}

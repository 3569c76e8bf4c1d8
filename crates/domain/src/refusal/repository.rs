//! Why a repository is not read or changed.

use crate::repository::PushRefusal;

/// Why a repository is not read or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RepositoryRefusal {
    /// The rules of the ref do not permit it.
    #[error("{0}")]
    Push(PushRefusal),
    /// A rule protects the branch from the caller, who may push to others.
    #[error("You are not allowed to push into this branch")]
    BranchProtected,
    /// A branch was elsewhere when it was to be moved, and again when that was tried again.
    #[error("The branch has changed in the meantime. Please try again.")]
    BranchMoved,
    /// A file is no longer as the caller has seen it; names it.
    #[error("The file has changed since you started editing it: {0}")]
    FileChanged(String),
    /// The name is none that a branch can have.
    #[error("Branch name is invalid")]
    InvalidBranch,
    /// The name of a branch that is to be read is none.
    #[error("The branch refname is invalid")]
    InvalidBranchRef,
    /// The name of a new branch for a commit is none.
    #[error("Something went wrong when we tried to create '{0}' for you: the name is invalid")]
    BranchNotCreated(String),
    /// A new branch for a commit exists.
    #[error("A branch called '{0}' already exists. Switch to that branch in order to make changes")]
    BranchTaken(String),
    /// Files are changed on a branch only.
    #[error("You can only create or edit files when you are on a branch")]
    NotOnABranch,
    /// The name is none that a tag can have.
    #[error("Tag name invalid")]
    InvalidTag,
    /// There is no such branch, tag or commit.
    #[error("Invalid reference name")]
    InvalidRef,
    /// There is nothing that a tag could name.
    #[error("Target {0} is invalid")]
    InvalidTarget(String),
    /// There is one of that name.
    #[error("Branch already exists")]
    BranchExists,
    /// There is one of that name.
    #[error("Tag {0} already exists")]
    TagExists(String),
    /// There is a branch or tag of that name.
    #[error("A reference of this name already exists")]
    RefExists,
    /// The repository has as many as is permitted.
    #[error("A repository cannot have more than {0} branches and tags")]
    TooManyRefs(usize),
    /// The message has more bytes than is permitted.
    #[error("A message cannot have more than {0} bytes (limit push.commit)")]
    MessageTooLong(u64),
    /// The changes do not fit together.
    #[error("The changes are in conflict")]
    Conflict,
    /// The branch has commits that the other does not have.
    #[error("A fast-forward is not possible")]
    NoFastForward,
    /// The commit would be empty.
    #[error("There is nothing to change")]
    NothingToChange,
    /// A name would be both.
    #[error("A name is needed as a directory and as a file")]
    DirectoryFileConflict,
    /// There is one of that name.
    #[error("A file with this name already exists")]
    FileExists,
    /// There is a file of that name, with another content.
    #[error("{0} already exists")]
    FileTaken(String),
    /// The name is none that a file can have.
    #[error("{0} is not a valid file name")]
    InvalidFileName(String),
    /// There is none of that name.
    #[error("A file with this name doesn't exist")]
    FileMissing,
    /// A path leads upwards.
    #[error("Path cannot include directory traversal")]
    PathTraversal,
    /// A path is none that a file can have.
    #[error("Path is invalid")]
    InvalidPath,
    /// A file is written without content.
    #[error("You must provide content")]
    NoContent,
    /// There is no commit.
    #[error("The repository is empty")]
    Empty,
    /// The name is none of a commit.
    #[error("Invalid parameters")]
    InvalidCommit,
    /// There is no submodule at the path.
    #[error("Invalid submodule path")]
    InvalidSubmodule,
    /// The submodule is at that commit.
    #[error("The submodule {path} is already at {commit}")]
    SubmoduleUnchanged {
        /// Its path.
        path: String,
        /// The commit.
        commit: String,
    },
    /// A commit cannot be made again elsewhere.
    #[error("{}", not_replayed(*.replay, *.is_merge))]
    NotReplayed {
        /// How.
        replay: Replayed,
        /// True if it is the commit of a merge request.
        is_merge: bool,
    },
    /// A merge base is one of several commits.
    #[error("Provide at least 2 refs")]
    TooFewRefs,
    /// There are no such branches, tags or commits.
    #[error("{}", refs_missing(.0))]
    RefsMissing(Vec<String>),
    /// The request asks for more lines than is permitted.
    #[error("range must not have more than {0} lines")]
    RangeTooLong(usize),
    /// The file has more lines than is permitted.
    #[error("The file has more than {0} lines: ask for some of them with range[start] and range[end]")]
    FileTooLong(usize),
    /// There is a rule for that name.
    #[error("Protected branch '{0}' already exists")]
    ProtectedBranchExists(String),
    /// There is a rule for that name.
    #[error("Name has already been taken")]
    ProtectedTagExists,
    /// A rule does not know the level that this parameter names.
    #[error("{0} does not have a valid value")]
    InvalidLevel(&'static str),
    /// The text is no regular expression, or one that takes too much memory.
    #[error("regex is an invalid regular expression")]
    InvalidPattern,
    /// The regular expression is longer than is permitted.
    #[error("regex is too long")]
    PatternTooLong,
}

/// How a commit is made again elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replayed {
    /// With the same changes.
    CherryPick,
    /// With the opposite changes.
    Revert,
}

fn not_replayed(replay: Replayed, is_merge: bool) -> String {
    let noun = if is_merge { "merge request" } else { "commit" };
    let (verb, done) = match replay {
        Replayed::CherryPick => ("cherry-pick", "cherry-picked"),
        Replayed::Revert => ("revert", "reverted"),
    };
    format!(
        "Sorry, we cannot {verb} this {noun} automatically. This {noun} may already have been {done}, or a more recent \
         commit may have updated some of its content."
    )
}

fn refs_missing(names: &[String]) -> String {
    match names {
        [one] => format!("Could not find ref: {one}"),
        several => format!("Could not find refs: {}", several.join(", ")),
    }
}

//! Merge requests. The part that they share with issues is in [`crate::issuable`].

mod ability;
mod accept;
mod approval;
mod conflict;
mod draft;
mod message;
mod squash;
mod template;

pub use ability::{decide, decide_home, may_merge_into};
pub use accept::{Accept, AcceptFacts, AcceptRefusal, CancelRefusal, accept, cancel, readiness};
pub use approval::{
    ApprovalRefusal, ApprovalRule, ApprovalSettings, Approvals, EVERYONE, GivenVerdict, MAX_REQUIRED, MAX_RULE_NAME,
    RuleKind, RuleState, Verdict,
};
pub use conflict::{
    ConflictSide, MAX_CONFLICTED_FILES, MAX_CONFLICTED_TEXT, MAX_CONFLICTS, Piece, chosen, has_marks, pieces,
};
pub use draft::{is_draft, marked_as_draft, says_work_in_progress};
pub use message::{MessageFacts, closing_sentence, merge_message};
pub use squash::SquashOption;
pub use template::expand;

use crate::id::{IssuableId, ProjectId, UserId, VersionId};
use crate::time::Timestamp;
use crate::words::words;

words! {
    /// The answer of Git about merging the branches. It does not depend on drafts, pipelines and discussions.
    pub enum MergeStatus {
        /// Git has not been asked since a branch moved.
        Unchecked = "unchecked",
        /// Without conflicts.
        CanBeMerged = "can_be_merged",
        /// In conflict, without commits, or without a branch.
        CannotBeMerged = "cannot_be_merged",
    }
}

/// The error of a rebase that has stopped at conflicts. It is removed when one of the branches moves.
pub const REBASE_CONFLICT: &str = "Rebase failed: Rebase locally, resolve all conflicts, then push the branch.";

/// The part of a merge request that issues do not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeRequest {
    /// Its id, that of the [`crate::issuable::Issuable`].
    pub id: IssuableId,
    /// The project of the source branch; nothing once that fork is gone.
    pub source_project: Option<ProjectId>,
    /// The branch there.
    pub source_branch: String,
    /// The branch that is to get them.
    pub target_branch: String,
    /// True if its title says that it is not ready.
    pub draft: bool,
    /// One commit instead of several.
    pub squash: bool,
    /// True if the source branch is to go after the merge, as the author has asked.
    pub force_remove_source_branch: bool,
    /// The same, as asked for when it was accepted.
    pub should_remove_source_branch: Option<bool>,
    /// True if those who may merge may also push to the source branch.
    pub allow_collaboration: bool,
    /// The last answer of Git.
    pub merge_status: MergeStatus,
    /// Why the last attempt to merge or rebase came to nothing.
    pub merge_error: Option<String>,
    /// The commits to be merged, as of the newest version.
    pub diff: Option<DiffRefs>,
    /// Who has asked for a merge as soon as the pipeline succeeds.
    pub auto_merge: Option<AutoMerge>,
    /// How it was merged.
    pub merged: Option<Merged>,
    /// The minimum number of approvals by any user, 0 to [`MAX_REQUIRED`]. None if the rules of the project alone say so.
    pub approvals_before_merge: Option<i64>,
}

impl MergeRequest {
    /// The head commit of the newest version.
    #[must_use]
    pub fn head(&self) -> Option<&str> {
        self.diff.as_ref().map(|diff| diff.head.as_str())
    }

    /// True if source and target are in different projects.
    #[must_use]
    pub fn is_from_fork(&self, target: ProjectId) -> bool {
        self.source_project != Some(target)
    }

    /// True if the last rebase has stopped at conflicts, and no branch has moved since then.
    #[must_use]
    pub fn has_failed_rebase(&self) -> bool {
        self.merge_error.as_deref() == Some(REBASE_CONFLICT)
    }

    /// True if there is anything to merge.
    #[must_use]
    pub fn has_commits(&self) -> bool {
        self.diff.as_ref().is_some_and(|diff| diff.commits_count > 0)
    }
}

/// The commits between which a merge request lies, and how much that is. All names are 40 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffRefs {
    /// The last commit that both branches have.
    pub base: String,
    /// The head of the target branch at that time.
    pub start: String,
    /// The head of the source branch.
    pub head: String,
    /// Commits of the source that the target has not.
    pub commits_count: i64,
    /// Files that differ.
    pub changes_count: i64,
    /// True if there are more differences than are shown.
    pub overflow: bool,
}

/// The state of a merge request after one push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The version's id.
    pub id: VersionId,
    /// The merge request.
    pub of: IssuableId,
    /// The commits that its difference lies between.
    pub diff: DiffRefs,
    /// The id of its patch, if there is one that is not too large.
    pub patch_id: Option<String>,
    /// When it came to be.
    pub created_at: Timestamp,
}

/// A merge that waits for the pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutoMerge {
    /// Who has asked: as them it is merged, if they still may.
    pub by: UserId,
    /// The message for the merge commit.
    pub message: Option<String>,
    /// The message for the one commit.
    pub squash_message: Option<String>,
}

/// A merge that has happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// By whom; none once that account is deleted, or if it is not known who pushed.
    pub by: Option<UserId>,
    /// When it was merged.
    pub at: Timestamp,
    /// The merge commit, or the commit to which the target was moved. None if the commits were pushed to the target by
    /// hand.
    pub commit: Option<String>,
    /// The commit that stands for all of them, if one was made.
    pub squash_commit: Option<String>,
}

/// A merge that is under way: recorded before the branch moves, so that a crash leaves nothing half done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeIntent {
    /// The merge request.
    pub of: IssuableId,
    /// Who merges.
    pub by: UserId,
    /// The commit of the target branch before.
    pub target: String,
    /// The commit that is merged.
    pub source: String,
    /// The commit of the target branch afterwards.
    pub tip: String,
    /// The merge commit, if one was made.
    pub merge_commit: Option<String>,
    /// The commit that stands for all of them, if one was made.
    pub squash_commit: Option<String>,
    /// True if the source branch goes.
    pub remove_source_branch: bool,
    /// When the merge began.
    pub at: Timestamp,
}

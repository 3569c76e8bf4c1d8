//! The commits that a merge of a merge request makes.

use crate::merge::MergeCheck;
use crate::name::BranchName;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::signature::Signature;
use crate::write::object::Text;
use crate::write::{RefChange, Refusal, WriteError};

/// How the target gets the commits of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeMethod {
    /// By a merge commit, always.
    Merge,
    /// By a merge commit, but only if the source contains the target.
    RebaseMerge,
    /// By moving to the source, only if that contains the target.
    FastForward,
}

/// The author and the message of the one commit that stands for all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Squash {
    /// Author of the squashed commit.
    pub author: Signature,
    /// Message of the squashed commit.
    pub message: String,
}

/// The two sides of a merge and the form of its commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeRequest {
    /// The branch that gets the commits.
    pub target: BranchName,
    /// Its tip when the decision was made.
    pub target_tip: Oid,
    /// The commit that is merged; this repository must have it ([`Repository::fetch_from`]).
    pub source: Oid,
    /// Which commits the merge makes.
    pub method: MergeMethod,
    /// One commit instead of several; nothing if there is one only.
    pub squash: Option<Squash>,
    /// Author of the merge commit.
    pub author: Signature,
    /// Committer of all commits that this makes.
    pub committer: Signature,
    /// Message of the merge commit.
    pub message: String,
}

/// The commits that a merge has made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepted {
    /// The new tip of the target.
    pub tip: Oid,
    /// The merge commit, if one was made.
    pub merge_commit: Option<Oid>,
    /// The commit that stands for all of them, if one was made.
    pub squash_commit: Option<Oid>,
}

impl Repository {
    /// Builds the commits of a merge, and moves no ref. Refuses with [`Refusal::Conflict`], [`Refusal::NoFastForward`],
    /// or [`Refusal::Empty`] if the target has everything already.
    pub fn prepare_merge(&self, request: &MergeRequest) -> Result<Accepted, WriteError> {
        let (target, source) = (request.target_tip, request.source);
        let divergence = self.divergence(target, source)?;
        if divergence.ahead == 0 {
            return Err(Refusal::Empty.into());
        }
        let squash = request.squash.as_ref().filter(|_| divergence.ahead > 1);
        // A squashed commit follows the target, so it can always be moved to; the documented rule is about the source.
        if request.method != MergeMethod::Merge && divergence.behind > 0 {
            return Err(Refusal::NoFastForward.into());
        }
        if squash.is_none() && request.method == MergeMethod::FastForward {
            return Ok(Accepted { tip: source, merge_commit: None, squash_commit: None });
        }
        let tree = match self.merge_check(target, source)? {
            MergeCheck::Clean(tree) => tree,
            refused => refused.tree()?,
        };
        let squash_commit = squash.map(|squash| self.squashed(request, squash, tree)).transpose()?;
        if request.method == MergeMethod::FastForward {
            return Ok(Accepted { tip: squash_commit.unwrap_or(source), merge_commit: None, squash_commit });
        }
        let text = Text { author: &request.author, committer: &request.committer, message: &request.message };
        let merge = self.write_commit(tree, &[target, squash_commit.unwrap_or(source)], text)?;
        Ok(Accepted { tip: merge, merge_commit: Some(merge), squash_commit })
    }

    /// Builds the commits of a merge and moves the target to them, if its tip is still that of the request; else
    /// [`Refusal::Stale`]. Other refusals as in [`Repository::prepare_merge`].
    pub fn merge(&self, request: &MergeRequest) -> Result<Accepted, WriteError> {
        let accepted = self.prepare_merge(request)?;
        let (name, old) = (request.target.full(), request.target_tip);
        self.update_refs(&[RefChange::Update { name, new: accepted.tip, old }])?;
        Ok(accepted)
    }

    fn squashed(&self, request: &MergeRequest, squash: &Squash, tree: Oid) -> Result<Oid, WriteError> {
        let text = Text { author: &squash.author, committer: &request.committer, message: &squash.message };
        self.write_commit(tree, &[request.target_tip], text)
    }
}

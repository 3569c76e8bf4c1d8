//! The job that brings merge requests to the present state of a branch. Whatever updates refs asks for it; merge
//! requests run it.

use serde::{Deserialize, Serialize};
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::merge_request::REBASE_CONFLICT;
use tenon_git::Oid;
use tenon_storage::job::Queue;
use tenon_storage::merge_request;

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::core::push_sessions::Pusher;
use crate::core::ref_update::RefUpdate;
use crate::jobs::{Job, enqueue};

/// Synchronises the merge requests at a branch that was updated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BranchUpdate {
    pub(crate) project: i64,
    pub(crate) branch: String,
    /// Zeros stand for a branch that was not there, or is gone.
    pub(crate) old: String,
    pub(crate) new: String,
    /// Who has updated it, if that is known.
    pub(crate) actor: Option<i64>,
    /// Who has added the deploy key that has updated it: it was done in this user's name, but not with this user's rights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<i64>,
    /// Those up to this id are done.
    pub(crate) after: i64,
}

impl Job for BranchUpdate {
    const KIND: &'static str = "follow_branch";
    const QUEUE: Queue = Queue::Git;

    fn charged_to(&self) -> Option<UserId> {
        self.author()
    }
}

impl BranchUpdate {
    /// A branch that may have been updated, from and to unknown commits.
    pub(crate) fn somewhere(project: ProjectId, branch: String) -> Self {
        let nowhere = Oid::ZERO.to_string();
        Self { project: project.get(), branch, old: nowhere.clone(), new: nowhere, actor: None, owner: None, after: 0 }
    }

    /// In whose name it was updated, if that is known.
    pub(crate) fn author(&self) -> Option<UserId> {
        self.actor.or(self.owner).map(UserId::new)
    }

    /// Of a ref that is a branch.
    pub(crate) fn of(project: ProjectId, moved: &RefUpdate, pusher: Option<Pusher>) -> Option<Self> {
        let actor = pusher.and_then(Pusher::user);
        let owner = pusher.and_then(Pusher::author).filter(|_| actor.is_none());
        Some(Self {
            project: project.get(),
            branch: moved.name.strip_prefix("refs/heads/")?.to_owned(),
            old: moved.old.to_string(),
            new: moved.new.to_string(),
            actor: actor.map(UserId::get),
            owner: owner.map(UserId::get),
            after: 0,
        })
    }
}

/// Enqueues the synchronisation of the merge requests at these refs, in the transaction that records the updates.
pub(crate) fn enqueue_branch_updates(
    command: &mut Command<'_>,
    project: ProjectId,
    moved: &[RefUpdate],
    pusher: Option<Pusher>,
) -> Result<(), AppError> {
    let updates: Vec<BranchUpdate> = moved.iter().filter_map(|one| BranchUpdate::of(project, one, pusher)).collect();
    let names: Vec<String> = updates.iter().map(|update| update.branch.clone()).collect();
    let offered = merge_request::branches_with_open(&mut command.tx, project, &names)?;
    for branch in updates.into_iter().filter(|update| offered.contains(&update.branch)) {
        merge_request::forget_error_at(&mut command.tx, project, &branch.branch, REBASE_CONFLICT)?;
        if merge_request::uncheck_at(&mut command.tx, project, &branch.branch)? > 0 {
            enqueue(command, &branch)?;
        }
    }
    Ok(())
}

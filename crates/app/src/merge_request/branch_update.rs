//! The merge requests from and into a branch that was updated.

use std::collections::HashSet;

use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::merge_request::MergeStatus;
use tenon_domain::project::ProjectAction;
use tenon_git::commit::{CommitQuery, CommitRange};
use tenon_git::{Oid, Repository};
use tenon_storage::merge_request::{self, AtBranch};

use crate::core::app::{App, By};
use crate::core::error::AppError;
use crate::core::push_sessions::Pusher;
use crate::core::ref_update::RefUpdate;
use crate::jobs::{AsyncJob, enqueue};
use crate::policy::reference::Reference;
use crate::repository::refs::branch_update::BranchUpdate;

/// More new commits than this of one push are not looked through for heads of merge requests.
const MAX_COMMITS: i64 = 20_000;
/// How many merge requests one job synchronises.
const BATCH: i64 = 50;
/// How many are synchronised while the pusher waits.
const AT_ONCE: usize = 20;

impl AsyncJob for BranchUpdate {
    async fn run(self, app: &App) -> Result<(), AppError> {
        sync_branch(app, self).await
    }
}

/// Synchronises a few merge requests at a branch that was updated, and enqueues a job for the next ones. Idempotent.
async fn sync_branch(app: &App, moved: BranchUpdate) -> Result<(), AppError> {
    let this = app.clone();
    app.on_git(move || {
        let found = this.at_branch(&moved)?;
        let news = this.news(&moved, &found)?;
        for one in &found {
            if let Err(error) = this.sync_one(one, &news, &moved) {
                // One at which Git fails must not stop the others.
                let error: &dyn std::error::Error = &error;
                tracing::warn!(merge_request = %one.id, error, "cannot be synchronised");
                this.command(|command| {
                    Ok(merge_request::set_status(&mut command.tx, one.id, MergeStatus::CannotBeMerged)?)
                })?;
            }
        }
        let Some(last) = found.last().filter(|_| i64::try_from(found.len()).is_ok_and(|count| count == BATCH)) else {
            return Ok(());
        };
        let next = BranchUpdate { after: last.id.get(), ..moved };
        this.command(|command| enqueue(command, &next))
    })
    .await
}

impl App {
    /// Synchronises at once, for the pusher to see, the merge requests from the branches, and those whose heads were
    /// pushed: a few at most. Everything else, and what fails, is left to the job. Blocks: asks Git.
    pub(crate) fn sync_at_once(&self, project: ProjectId, moved: &[RefUpdate], pusher: Option<Pusher>) {
        for branch in moved.iter().filter_map(|one| BranchUpdate::of(project, one, pusher)) {
            if let Err(error) = self.sync_some(&branch) {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(project = %project, error, "is left to a job");
            }
        }
    }

    fn sync_some(&self, moved: &BranchUpdate) -> Result<(), AppError> {
        let found = self.at_branch(moved)?;
        let news = self.news(moved, &found)?;
        let wanted = found.iter().filter(|one| !one.is_target || is_news(one, &news));
        for one in wanted.take(AT_ONCE) {
            self.sync_one(one, &news, moved)?;
        }
        Ok(())
    }

    fn at_branch(&self, moved: &BranchUpdate) -> Result<Vec<AtBranch>, AppError> {
        let project = ProjectId::new(moved.project);
        self.parts()
            .database
            .read(|tx| merge_request::at_branch(tx, project, &moved.branch, moved.after, BATCH).map_err(AppError::from))
    }

    fn sync_one(&self, one: &AtBranch, news: &HashSet<Oid>, moved: &BranchUpdate) -> Result<(), AppError> {
        let actor = moved.actor.map(UserId::new);
        if one.is_target && is_news(one, news) {
            return self.merged_by_push(one.id, actor, self.author_of(moved)?);
        }
        self.sync_source(one.id, actor)
    }

    /// In whose name a push is noted. Who has added a deploy key stands for it only while they may push themselves.
    fn author_of(&self, moved: &BranchUpdate) -> Result<Option<UserId>, AppError> {
        let Some(owner) = moved.author().filter(|_| moved.actor.is_none()) else { return Ok(moved.author()) };
        self.as_actor(By::InNameOf(owner), |command| {
            // If the account is gone, another one stands for it.
            if command.user()?.id != owner {
                return Ok(None);
            }
            match command.query().project(&Reference::Id(moved.project), ProjectAction::Push) {
                Ok(_) => Ok(Some(owner)),
                Err(AppError::Forbidden | AppError::Refused(_) | AppError::NotFound(_)) => Ok(None),
                Err(error) => Err(error),
            }
        })
    }

    /// The commits that came to the branch, if merge requests into it need them; none if it was rewritten and the old
    /// commits are gone.
    fn news(&self, moved: &BranchUpdate, found: &[AtBranch]) -> Result<HashSet<Oid>, AppError> {
        let (old, new) = (super::mergeability::oid(&moved.old)?, super::mergeability::oid(&moved.new)?);
        if old.is_zero() || new.is_zero() || !found.iter().any(|one| one.is_target) {
            return Ok(HashSet::new());
        }
        let repository: Repository = self.repositories().store.repository(ProjectId::new(moved.project));
        if repository.commits_by_id(&[old, new])?.len() < 2 {
            return Ok(HashSet::new());
        }
        let query = CommitQuery::new(CommitRange::Between { from: old, to: new });
        Ok(repository.commit_ids(&query, MAX_COMMITS)?.into_iter().collect())
    }
}

/// True if a push brought the head of what is offered to the target.
fn is_news(one: &AtBranch, news: &HashSet<Oid>) -> bool {
    let head = one.head.as_ref().and_then(|head| head.parse::<Oid>().ok());
    one.commits_count > 0 && head.is_some_and(|head| news.contains(&head))
}

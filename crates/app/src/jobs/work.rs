//! What there is to do. The payloads are stored: changing one needs a migration or a second name.

use serde::{Deserialize, Serialize};
use tenon_domain::id::{Iid, NamespaceId, ProjectId, UserId};
use tenon_domain::time::Timestamp;
use tenon_storage::job::{self, NewJob, Queue};

use crate::app::App;
use crate::context::Command;
use crate::error::AppError;
use crate::issuable::unseen::{self, Narrowed};
use crate::merge_request::MovedBranch;
use crate::repository::PushedCommits;
use crate::upload::LateCopies;

/// One piece of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub(crate) enum Work {
    /// Remove a project that has been hidden.
    DeleteProject {
        /// Its id.
        project: i64,
    },
    /// Remove a group that has been hidden, with everything below it.
    DeleteGroup {
        /// Its id.
        group: i64,
    },
    /// Remove an account that has been hidden.
    DeleteUser {
        /// Its id.
        user: i64,
        /// Whether what it wrote goes as well.
        hard: bool,
    },
    /// Find out again what lists show of a repository, and keep it quick to read.
    RefreshRepository {
        /// Its project.
        project: i64,
    },
    /// Read the messages of commits that were pushed.
    ReadMessages(PushedCommits),
    /// Look at the merge requests at a branch that has moved.
    FollowBranch(MovedBranch),
    /// Merge what waits for the pipeline of a commit.
    MergeWhenReady {
        /// The project of the pipeline.
        project: i64,
        /// Its branch.
        branch: String,
        /// Its commit.
        sha: String,
        /// When it was asked for, in milliseconds: what is asked for while the same is done is not the same.
        at: i64,
    },
    /// Copy the files that follow a moved issue.
    CopyUploads(LateCopies),
    /// Fill a new project's repository from another server.
    ImportProject {
        /// Its id.
        project: i64,
    },
    /// Fill a new fork's repository from its source.
    ForkProject {
        /// The fork.
        project: i64,
    },
    /// Bring the database to where the refs are, for projects with ids above this one, a few at a time.
    ReconcileRefs {
        /// The last one that was looked at.
        after: i64,
    },
    /// Bring the database to where the refs of one project are.
    ReconcileRepository {
        /// The project.
        project: i64,
    },
    /// Find what is untidy or not known well, among projects with ids above this one, a few at a time.
    LookAfterRepositories {
        /// The last one that was looked at.
        after: i64,
    },
    /// Pack a repository, and drop what nothing has reached for long.
    MaintainRepository {
        /// Its project.
        project: i64,
    },
    /// Remove archives that nobody asks for any more.
    SweepArchives,
    /// Ask for what is to be done each hour.
    Hourly {
        /// The number of the hour since 1970.
        hour: i64,
    },
    /// Remove the refs of a merge request that was deleted.
    ForgetMergeRequest {
        /// Its project.
        project: i64,
        /// Its number there.
        iid: i64,
    },
    /// Remove what is kept for a user about what they can no longer see.
    ForgetUnseen {
        /// Who.
        user: i64,
    },
    /// Ask for that for those who follow something where fewer people than before may look, a few at a time.
    NarrowAccess {
        /// Where.
        place: Narrowed,
        /// The last user who was looked at.
        after: i64,
    },
    /// Remove a file that nothing refers to any more.
    DeleteObject {
        /// Its key.
        key: String,
    },
}

impl Work {
    /// Where it waits: what may take long keeps nothing else waiting.
    fn queue(&self) -> Queue {
        match self {
            Self::ForkProject { .. } => Queue::Forks,
            Self::ImportProject { .. } => Queue::Imports,
            Self::MaintainRepository { .. } => Queue::Maintenance,
            Self::DeleteProject { .. }
            | Self::DeleteGroup { .. }
            | Self::DeleteUser { .. }
            | Self::RefreshRepository { .. }
            | Self::ReadMessages(_)
            | Self::FollowBranch(_)
            | Self::MergeWhenReady { .. }
            | Self::CopyUploads(_)
            | Self::ReconcileRefs { .. }
            | Self::ReconcileRepository { .. }
            | Self::LookAfterRepositories { .. }
            | Self::SweepArchives
            | Self::Hourly { .. }
            | Self::ForgetMergeRequest { .. }
            | Self::ForgetUnseen { .. }
            | Self::NarrowAccess { .. }
            | Self::DeleteObject { .. } => Queue::Short,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::DeleteProject { .. } => "delete_project",
            Self::DeleteGroup { .. } => "delete_group",
            Self::DeleteUser { .. } => "delete_user",
            Self::RefreshRepository { .. } => "refresh_repository",
            Self::ReadMessages(_) => "read_messages",
            Self::FollowBranch(_) => "follow_branch",
            Self::MergeWhenReady { .. } => "merge_when_ready",
            Self::CopyUploads(_) => "copy_uploads",
            Self::ImportProject { .. } => "import_project",
            Self::ForkProject { .. } => "fork_project",
            Self::ReconcileRefs { .. } => "reconcile_refs",
            Self::ReconcileRepository { .. } => "reconcile_repository",
            Self::LookAfterRepositories { .. } => "look_after_repositories",
            Self::MaintainRepository { .. } => "maintain_repository",
            Self::SweepArchives => "sweep_archives",
            Self::Hourly { .. } => "hourly",
            Self::ForgetMergeRequest { .. } => "forget_merge_request",
            Self::ForgetUnseen { .. } => "forget_unseen",
            Self::NarrowAccess { .. } => "narrow_access",
            Self::DeleteObject { .. } => "delete_object",
        }
    }

    /// The part of the work that only changes a few rows, where that is all: several such can be done in one transaction.
    pub(super) fn rows(&self) -> Option<RowWork> {
        match self {
            Self::Hourly { .. } => Some(RowWork::Tick),
            Self::ForgetUnseen { user } => Some(RowWork::ForgetUnseen(UserId::new(*user))),
            Self::NarrowAccess { place, after } => Some(RowWork::NarrowAccess(*place, UserId::new(*after))),
            Self::ForkProject { .. }
            | Self::ImportProject { .. }
            | Self::MaintainRepository { .. }
            | Self::DeleteProject { .. }
            | Self::DeleteGroup { .. }
            | Self::DeleteUser { .. }
            | Self::RefreshRepository { .. }
            | Self::ReadMessages(_)
            | Self::FollowBranch(_)
            | Self::MergeWhenReady { .. }
            | Self::CopyUploads(_)
            | Self::ReconcileRefs { .. }
            | Self::ReconcileRepository { .. }
            | Self::LookAfterRepositories { .. }
            | Self::SweepArchives
            | Self::ForgetMergeRequest { .. }
            | Self::DeleteObject { .. } => None,
        }
    }

    /// Does the work, on a thread of its own that it may block. Every kind removes what is there, or finds out anew what is
    /// so, and is content when nothing is: it is idempotent.
    pub(crate) async fn run(self, app: &App) -> Result<(), AppError> {
        match self {
            Self::DeleteProject { project } => crate::project::remove(app, ProjectId::new(project)).await,
            Self::DeleteGroup { group } => crate::group::remove(app, NamespaceId::new(group)).await,
            Self::DeleteUser { user, hard } => crate::user::remove(app, UserId::new(user), hard).await,
            Self::RefreshRepository { project } => crate::repository::refresh(app, ProjectId::new(project)).await,
            Self::ReadMessages(pushed) => crate::repository::read_messages(app, pushed).await,
            Self::FollowBranch(moved) => crate::merge_request::follow_branch(app, moved).await,
            Self::MergeWhenReady { project, branch, sha, at: _ } => {
                crate::merge_request::merge_when_ready(app, ProjectId::new(project), branch, sha).await
            }
            Self::CopyUploads(copies) => crate::upload::copy_now(app, copies).await,
            Self::ImportProject { project } => crate::repository::import(app, ProjectId::new(project)),
            Self::ForkProject { project } => crate::repository::fill_fork(app, ProjectId::new(project)).await,
            Self::ReconcileRefs { after } => crate::repository::reconcile(app, ProjectId::new(after)).await,
            Self::ReconcileRepository { project } => {
                crate::repository::reconcile_one(app, ProjectId::new(project)).await
            }
            Self::LookAfterRepositories { after } => crate::repository::look_after(app, ProjectId::new(after)).await,
            Self::MaintainRepository { project } => crate::repository::maintain(app, ProjectId::new(project)),
            Self::SweepArchives => crate::repository::sweep_archives(app).await,
            Self::ForgetMergeRequest { project, iid } => {
                crate::merge_request::remove_refs(app, ProjectId::new(project), Iid::new(iid)).await
            }
            Self::Hourly { .. } => app.command(|command| RowWork::Tick.run(command)),
            Self::ForgetUnseen { user } => app.command(|command| RowWork::ForgetUnseen(UserId::new(user)).run(command)),
            Self::NarrowAccess { place, after } => {
                app.command(|command| RowWork::NarrowAccess(place, UserId::new(after)).run(command))
            }
            Self::DeleteObject { key } => app.objects().delete(&key).await,
        }
    }
}

impl Work {
    /// What is told of work that has failed for the last time, besides what the log says.
    pub(super) fn give_up(self, command: &mut Command<'_>) -> Result<(), AppError> {
        match self {
            Self::ImportProject { project } | Self::ForkProject { project } => {
                crate::repository::give_up_filling(command, ProjectId::new(project))
            }
            _ => Ok(()),
        }
    }
}

/// Work that only changes a few rows.
#[derive(Debug, Clone, Copy)]
pub(super) enum RowWork {
    Tick,
    ForgetUnseen(UserId),
    NarrowAccess(Narrowed, UserId),
}

impl RowWork {
    /// Does the work in the transaction of `command`.
    pub(super) fn run(self, command: &mut Command<'_>) -> Result<(), AppError> {
        match self {
            Self::Tick => super::schedule::tick(command),
            Self::ForgetUnseen(user) => unseen::forget_unseen(command, user),
            Self::NarrowAccess(place, after) => unseen::narrow(command, place, after),
        }
    }
}

/// Puts work in its queue, in the transaction of `command`. The same work waits only once.
pub(crate) fn enqueue(command: &mut Command<'_>, work: &Work) -> Result<(), AppError> {
    let now = command.now;
    enqueue_at(command, work, now)
}

/// As [`enqueue`], to be done from `at` on. Where the same work waits already, it stays with its time; where it is being
/// done, it is done once more.
pub(crate) fn enqueue_at(command: &mut Command<'_>, work: &Work, at: Timestamp) -> Result<(), AppError> {
    let payload = serde_json::to_string(work).map_err(AppError::internal)?;
    let queue = work.queue();
    let user = match queue {
        Queue::Forks | Queue::Imports => command.actor(),
        Queue::Short | Queue::Maintenance => None,
    };
    Ok(job::enqueue(&mut command.tx, &NewJob { kind: work.name(), payload: &payload, queue, user, run_at: at })?)
}

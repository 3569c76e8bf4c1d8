//! Tidying repositories up, and looking for what the database has missed, every now and then.

use serde::{Deserialize, Serialize};
use tenon_domain::id::ProjectId;
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_storage::job::Queue;
use tenon_storage::project;

use super::reconcile::unreadable;
use super::refresh::RefreshRepository;
use crate::app::App;
use crate::error::AppError;
use crate::jobs::{AsyncJob, Job, enqueue, enqueue_at};

/// How many projects one job looks at.
const BATCH: i64 = 200;
/// How long refs may be ahead of the database: a push that is being taken in needs no help.
const GRACE: TimeDelta = TimeDelta::minutes(2);
/// Seconds after which a repository that is being pushed to is checked again.
const PUSH_PAUSE: u32 = 120;

/// Finds what is untidy or not known well, among projects with ids above this one, a few at a time.
#[derive(Serialize, Deserialize)]
pub(crate) struct LookAfterRepositories {
    /// The id of the last project that was checked.
    pub(crate) after: i64,
}

impl Job for LookAfterRepositories {
    const KIND: &'static str = "look_after_repositories";
    const QUEUE: Queue = Queue::Git;
}

impl AsyncJob for LookAfterRepositories {
    async fn run(self, app: &App) -> Result<(), AppError> {
        look_after(app, ProjectId::new(self.after)).await
    }
}

/// Packs a repository, and drops what nothing has reached for long.
#[derive(Serialize, Deserialize)]
pub(crate) struct MaintainRepository {
    project: i64,
}

impl Job for MaintainRepository {
    const KIND: &'static str = "maintain_repository";
    const QUEUE: Queue = Queue::Maintenance;
}

impl AsyncJob for MaintainRepository {
    async fn run(self, app: &App) -> Result<(), AppError> {
        maintain(app, ProjectId::new(self.project))
    }
}

/// Brings the database to where the refs of one project are.
#[derive(Serialize, Deserialize)]
pub(crate) struct ReconcileRepository {
    project: i64,
}

impl Job for ReconcileRepository {
    const KIND: &'static str = "reconcile_repository";
    const QUEUE: Queue = Queue::Git;
}

impl AsyncJob for ReconcileRepository {
    async fn run(self, app: &App) -> Result<(), AppError> {
        reconcile_one(app, ProjectId::new(self.project)).await
    }
}

/// Looks at the repositories of the projects that come after this one, a few, and asks for the next ones: the untidy ones are
/// tidied up, those that the database does not know well are looked at again. Before the first, merges that were cut off are
/// dealt with. Doing it again does no harm.
async fn look_after(app: &App, after: ProjectId) -> Result<(), AppError> {
    let app = app.clone();
    app.clone()
        .on_git(move || {
            if after.get() == 0 {
                app.recover_merges(false)?;
            }
            let ids = app.parts().database.read(|tx| project::ids_after(tx, after, BATCH))?;
            let now = app.now();
            let mut needs = Vec::new();
            for id in &ids {
                match app.needs_of(*id, now) {
                    Ok(found) => needs.push((id.get(), found)),
                    Err(error) => unreadable(*id, &error),
                }
            }
            app.command(|command| {
                for (project, Needs { is_untidy, is_behind }) in needs {
                    if is_untidy {
                        enqueue(command, &MaintainRepository { project })?;
                    }
                    if is_behind {
                        enqueue_at(command, &ReconcileRepository { project }, now + GRACE)?;
                    }
                }
                match ids.last() {
                    Some(last) => enqueue(command, &LookAfterRepositories { after: last.get() }),
                    None => Ok(()),
                }
            })
        })
        .await
}

/// What is to be done for a repository.
struct Needs {
    is_untidy: bool,
    /// Refs have moved that the database does not know of.
    is_behind: bool,
}

impl App {
    fn needs_of(&self, id: ProjectId, now: Timestamp) -> Result<Needs, AppError> {
        Ok(Needs {
            is_untidy: self.repositories().store.repository(id).is_untidy(now)?,
            is_behind: !self.unseen_moves(id)?.is_empty(),
        })
    }
}

/// Packs a repository, and drops what nothing has reached for long. Idempotent. It blocks for as long as it takes, on the
/// thread of its job: those that Git has for requests stay free.
fn maintain(app: &App, id: ProjectId) -> Result<(), AppError> {
    let repository = app.repositories().store.repository(id);
    if !repository.exists() {
        return Ok(());
    }
    repository.maintain_at(app.now())?;
    // It has become smaller.
    app.command(|command| enqueue(command, &RefreshRepository { project: id.get() }))
}

/// Brings the database to where the refs of a project are; [`AppError::Busy`] while a push to it is under way. Doing it again
/// does no harm.
async fn reconcile_one(app: &App, id: ProjectId) -> Result<(), AppError> {
    let app = app.clone();
    app.clone()
        .on_git(move || {
            if app.pushes().is_under_way(id) {
                return Err(AppError::Busy { retry_after: PUSH_PAUSE });
            }
            if app.reconcile_refs(id)? {
                tracing::warn!(project = %id, "the database had fallen behind the repository");
            }
            Ok(())
        })
        .await
}

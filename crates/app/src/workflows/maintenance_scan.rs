//! Tidying repositories up, and looking for what the database has missed, every now and then.

use serde::{Deserialize, Serialize};
use tenon_domain::id::ProjectId;
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_git::RepositoryKind;
use tenon_storage::job::Queue;
use tenon_storage::{project, settings};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::jobs::{AsyncJob, Job, enqueue, enqueue_at};
use crate::repository::maintenance::maintain::{MaintainRepository, ReconcileRepository};
use crate::repository::maintenance::reconcile::unreadable;

/// How many projects one job checks.
const BATCH: i64 = 200;
/// How long refs may be ahead of the database: a push that is being recorded needs no repair.
const GRACE: TimeDelta = TimeDelta::minutes(2);

/// Finds what is untidy or not known well, among projects with ids above this one, a few at a time.
#[derive(Serialize, Deserialize)]
pub(crate) struct MaintenanceScan {
    /// The id of the last project that was checked.
    pub(crate) after: i64,
}

impl Job for MaintenanceScan {
    const KIND: &'static str = "look_after_repositories";
    const QUEUE: Queue = Queue::Git;
}

impl AsyncJob for MaintenanceScan {
    async fn run(self, app: &App) -> Result<(), AppError> {
        scan(app, ProjectId::new(self.after)).await
    }
}

/// Checks the repositories of a few projects after this one, and enqueues a job for the next ones: jobs are
/// enqueued for those that need packing or whose refs the database does not know. Before the first, interrupted merges
/// are recovered. Idempotent.
async fn scan(app: &App, after: ProjectId) -> Result<(), AppError> {
    let app = app.clone();
    app.clone()
        .on_git(move || {
            if after.get() == 0 {
                app.recover_merges(false)?;
            }
            let ids = app.parts().database.read(|tx| project::ids_after(tx, after, BATCH))?;
            let now = app.now();
            let packs =
                app.parts().database.read(|tx| settings::load(tx).map_err(AppError::from))?.housekeeping_enabled;
            let mut needs = Vec::new();
            for id in &ids {
                match app.needs_of(*id, now) {
                    Ok(found) => needs.push((id.get(), found)),
                    Err(error) => unreadable(*id, &error),
                }
            }
            app.command(|command| {
                for (project, Needs { is_untidy, is_behind }) in needs {
                    if is_untidy && packs {
                        enqueue(command, &MaintainRepository { project })?;
                    }
                    if is_behind {
                        enqueue_at(command, &ReconcileRepository { project }, now + GRACE)?;
                    }
                }
                match ids.last() {
                    Some(last) => enqueue(command, &MaintenanceScan { after: last.get() }),
                    None => Ok(()),
                }
            })
        })
        .await
}

/// The needs of a repository.
struct Needs {
    is_untidy: bool,
    /// Refs have moved that the database does not know of.
    is_behind: bool,
}

impl App {
    fn needs_of(&self, id: ProjectId, now: Timestamp) -> Result<Needs, AppError> {
        let store = &self.repositories().store;
        let mut is_untidy = false;
        for kind in RepositoryKind::ALL {
            let repository = store.find(id, kind);
            is_untidy = is_untidy || (repository.exists() && repository.is_untidy(now)?);
        }
        Ok(Needs { is_untidy, is_behind: !self.missed_updates(id)?.is_empty() })
    }
}

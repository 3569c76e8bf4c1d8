//! Bringing the database to the state of the refs: what a crash between Git and the database has left undone.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use tenon_domain::id::ProjectId;
use tenon_git::branch::BranchOrder;
use tenon_git::{Oid, RefName};
use tenon_storage::job::Queue;
use tenon_storage::project;
use tenon_storage::repository::stored_refs;

use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::ref_update::RefUpdate;
use crate::jobs::{AsyncJob, Job, enqueue};

/// How many projects one job checks.
const BATCH: i64 = 200;

/// Brings the database to the state of the refs, for projects with ids above this one, a few at a time.
#[derive(Serialize, Deserialize)]
pub(crate) struct ReconcileRefs {
    /// The id of the last project that was checked.
    after: i64,
}

impl Job for ReconcileRefs {
    const KIND: &'static str = "reconcile_refs";
    const QUEUE: Queue = Queue::Git;
}

impl AsyncJob for ReconcileRefs {
    async fn run(self, app: &App) -> Result<(), AppError> {
        reconcile(app, ProjectId::new(self.after)).await
    }
}

/// Checks the repositories of a few projects after this one, and enqueues a job for the next ones. Idempotent.
async fn reconcile(app: &App, after: ProjectId) -> Result<(), AppError> {
    let app = app.clone();
    app.clone()
        .on_git(move || {
            let ids = app.database().read(|tx| project::ids_after(tx, after, BATCH))?;
            for id in &ids {
                match app.reconcile_refs(*id) {
                    Ok(false) => {}
                    Ok(true) => tracing::warn!(project = %id, "the database had fallen behind the repository"),
                    // One that cannot be read must not stop the others.
                    Err(error) => unreadable(*id, &error),
                }
            }
            let Some(last) = ids.last() else { return Ok(()) };
            app.command(|command| enqueue(command, &ReconcileRefs { after: last.get() }))
        })
        .await
}

/// Logs that a repository could not be read.
pub(crate) fn unreadable(project: ProjectId, error: &AppError) {
    let error: &dyn std::error::Error = error;
    tracing::error!(project = %project, error, "a repository cannot be read: see `tenon admin doctor`");
}

/// Enqueues a check of all repositories.
pub fn reconcile_all(app: &App) -> Result<(), AppError> {
    app.command(|command| enqueue(command, &ReconcileRefs { after: 0 }))
}

impl App {
    /// Records the state of the refs of a project; returns whether the database had fallen behind.
    pub(crate) fn reconcile_refs(&self, project: ProjectId) -> Result<bool, AppError> {
        let moved = self.missed_updates(project)?;
        if moved.is_empty() {
            return Ok(false);
        }
        self.handle_ref_updates(project, None, &moved)?;
        Ok(true)
    }

    /// How the refs of a project have moved since the database last saw them.
    pub(crate) fn missed_updates(&self, project: ProjectId) -> Result<Vec<RefUpdate>, AppError> {
        let repository = self.repositories().store.repository(project);
        if !repository.exists() {
            return Ok(Vec::new());
        }
        let stored = self.parts().database.read(|tx| stored_refs(tx, project))?;
        let mut known: HashMap<&str, &str> = stored.iter().map(|one| (&*one.name, &*one.oid)).collect();
        let mut real: Vec<(RefName, Oid)> =
            repository.branch_tips(BranchOrder::Name)?.into_iter().map(|(name, oid)| (name.full(), oid)).collect();
        real.extend(repository.tag_targets()?.into_iter().map(|(name, oid)| (name.full(), oid)));
        let mut moved = Vec::new();
        for (name, oid) in &real {
            let old = known.remove(name.as_str()).and_then(|oid| oid.parse().ok()).unwrap_or(Oid::ZERO);
            if old != *oid {
                moved.push(RefUpdate { name: name.as_str().to_owned(), old, new: *oid });
            }
        }
        for gone in stored.iter().filter(|one| known.contains_key(&*one.name)) {
            let old = gone.oid.parse().unwrap_or(Oid::ZERO);
            moved.push(RefUpdate { name: gone.name.clone(), old, new: Oid::ZERO });
        }
        Ok(moved)
    }
}

//! Tidying one repository up, and bringing the database to the state of its refs.

use serde::{Deserialize, Serialize};
use tenon_domain::id::ProjectId;
use tenon_git::RepositoryKind;
use tenon_storage::job::Queue;

use crate::core::app::App;
use crate::core::error::AppError;
use crate::jobs::{AsyncJob, Job, enqueue};
use crate::repository::refresh::RefreshRepository;

/// Seconds after which a repository that is being pushed to is checked again.
const PUSH_PAUSE: u32 = 120;

/// Packs the repositories of a project, and drops what nothing has reached for long.
#[derive(Serialize, Deserialize)]
pub(crate) struct MaintainRepository {
    pub(crate) project: i64,
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

/// Brings the database to the state of the refs of one project.
#[derive(Serialize, Deserialize)]
pub(crate) struct ReconcileRepository {
    pub(crate) project: i64,
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

/// Packs the repositories of a project, and drops what nothing has reached for long. Idempotent. It blocks for as long as it takes, on the
/// thread of its job: those that Git has for requests stay free.
fn maintain(app: &App, id: ProjectId) -> Result<(), AppError> {
    let store = &app.repositories().store;
    let repositories: Vec<_> = RepositoryKind::ALL.into_iter().map(|kind| store.find(id, kind)).collect();
    let mut is_there = false;
    for repository in repositories.iter().filter(|repository| repository.exists()) {
        app.check_removal()?;
        repository.maintain_at(app.now())?;
        is_there = true;
    }
    if !is_there {
        return Ok(());
    }
    // They have become smaller.
    app.command(|command| enqueue(command, &RefreshRepository { project: id.get() }))
}

/// Brings the database to the state of the refs of a project; [`AppError::Busy`] while a push to it is under way.
/// Idempotent.
async fn reconcile_one(app: &App, id: ProjectId) -> Result<(), AppError> {
    let app = app.clone();
    app.clone()
        .on_git(move || {
            if app.push_sessions().is_under_way(id) {
                return Err(AppError::Busy { retry_after: PUSH_PAUSE });
            }
            if app.reconcile_refs(id)? {
                tracing::warn!(project = %id, "the database had fallen behind the repository");
            }
            Ok(())
        })
        .await
}

//! Packing what pushes have brought to a repository.

use serde::{Deserialize, Serialize};
use tenon_domain::id::ProjectId;
use tenon_storage::job::Queue;

use crate::core::app::App;
use crate::core::error::AppError;
use crate::jobs::{AsyncJob, Job};

/// Packs the new objects of a repository.
#[derive(Serialize, Deserialize)]
pub(crate) struct PackRepository {
    pub(crate) project: i64,
}

impl Job for PackRepository {
    const KIND: &'static str = "pack_repository";
    const QUEUE: Queue = Queue::Maintenance;
}

impl AsyncJob for PackRepository {
    /// Idempotent. It blocks for as long as it takes, on the thread of its job, as all maintenance does.
    async fn run(self, app: &App) -> Result<(), AppError> {
        let repository = app.repositories().store.repository(ProjectId::new(self.project));
        if repository.exists() {
            repository.pack_new()?;
        }
        Ok(())
    }
}

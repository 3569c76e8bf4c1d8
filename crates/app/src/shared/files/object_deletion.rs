//! Removing files that nothing refers to any more.

use serde::{Deserialize, Serialize};
use tenon_storage::job::Queue;

use crate::core::app::App;
use crate::core::error::AppError;
use crate::jobs::{AsyncJob, Job};

/// Removes a file that nothing refers to any more.
#[derive(Serialize, Deserialize)]
pub(crate) struct DeleteObject {
    pub(crate) key: String,
}

impl Job for DeleteObject {
    const KIND: &'static str = "delete_object";
    const QUEUE: Queue = Queue::Short;
}

impl AsyncJob for DeleteObject {
    async fn run(self, app: &App) -> Result<(), AppError> {
        app.check_removal()?;
        app.objects().delete(&self.key).await
    }
}

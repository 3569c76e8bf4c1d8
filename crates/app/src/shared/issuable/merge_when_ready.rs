//! The job that merges what waits for a pipeline. Pipelines ask for it; merge requests run it.

use serde::{Deserialize, Serialize};
use tenon_storage::job::Queue;

use crate::jobs::Job;

/// Merges what waits for the pipeline of a commit.
#[derive(Serialize, Deserialize)]
pub(crate) struct MergeWhenReady {
    /// The project of the pipeline.
    pub(crate) project: i64,
    pub(crate) branch: String,
    pub(crate) sha: String,
}

impl Job for MergeWhenReady {
    const KIND: &'static str = "merge_when_ready";
    const QUEUE: Queue = Queue::Git;
}

//! The queues of jobs, for administrators.

use tenon_domain::id::JobId;
use tenon_storage::job::{self, DeadJob, QueueState};

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};

/// The most jobs that were given up of which [`overview`] tells.
pub const SHOWN: i64 = 100;

/// The queues, and the jobs that were given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobsView {
    /// The state of every queue.
    pub queues: Vec<QueueState>,
    /// The jobs that were given up last, newest first, [`SHOWN`] at most.
    pub failed: Vec<DeadJob>,
}

/// The state of all queues; administrators only.
pub fn overview(query: &mut Query<'_>) -> Result<JobsView, AppError> {
    query.administrators_only()?;
    Ok(JobsView { queues: job::states(&mut query.tx)?, failed: job::dead(&mut query.tx, SHOWN)? })
}

/// How many jobs wait or run, and how many were given up; administrators only.
pub fn totals(query: &mut Query<'_>) -> Result<(i64, i64), AppError> {
    query.administrators_only()?;
    Ok(job::counts(&mut query.tx)?)
}

/// Has a job that was given up run once more, as if it had not been tried; administrators only. All kinds of jobs may run
/// twice. Fails with 404 if it is not there any more, as after the same was asked for by another.
pub fn retry(command: &mut Command<'_>, id: JobId) -> Result<(), AppError> {
    command.query().administrators_only()?;
    job::revive(&mut command.tx, id)?.map(drop).ok_or(AppError::NotFound(Missing::Record))
}

/// Removes a job that was given up: its work is never done; administrators only. Fails with 404 as [`retry`] does.
pub fn forget(command: &mut Command<'_>, id: JobId) -> Result<(), AppError> {
    command.query().administrators_only()?;
    if job::forget(&mut command.tx, id)? { Ok(()) } else { Err(AppError::NotFound(Missing::Record)) }
}

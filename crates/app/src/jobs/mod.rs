//! Work that no request waits for: queues in the database, shared by every process that runs them.
//!
//! A use case appends events in its own transaction; the relay turns those that ask for work into jobs; runners claim
//! jobs by a lease that ends by itself. A job may therefore run more than once: every handler is idempotent.

mod administration;
mod handler;
mod relay;
mod runner;
mod schedule;
mod turn;
mod upkeep;

use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::core::app::App;
use crate::core::error::AppError;

pub use administration::{JobsView, SHOWN, forget, overview, retry, totals};
pub(crate) use handler::{AsyncJob, Job, RowJob, enqueue, enqueue_at, enqueue_now};
pub use runner::{Pace, Runner};
pub(crate) use schedule::Hourly;
pub use schedule::start_schedule;
pub use tenon_storage::job::{DeadJob, QueueState};
pub(crate) use upkeep::FollowDownloads;
pub use upkeep::flush_usage;

/// Runs jobs until `stop` turns true, by as many runners for each queue as the limits say, and writes from time to
/// time what is only remembered. Running jobs are finished first.
pub async fn serve(app: &App, pace: Pace, stop: watch::Receiver<bool>) {
    let mut tasks = JoinSet::new();
    for runner in Runner::pool(app) {
        let stop = stop.clone();
        tasks.spawn(async move { runner.run(pace, stop).await });
    }
    tasks.spawn(upkeep::run(app.clone(), pace, stop));
    while let Some(ended) = tasks.join_next().await {
        if let Err(error) = ended {
            tracing::error!(%error, "a job runner ended");
        }
    }
}

/// How many threads [`serve`] may need besides its own: for each runner one for a job, one for what that waits for,
/// and one for its transactions.
#[must_use]
pub fn threads(app: &App) -> usize {
    (Runner::pool(app).len() + 1) * 3
}

/// Makes the jobs that a killed process was running claimable at once, instead of after their leases; returns how many
/// there were. For the start of a process that is alone: jobs of one that still works would be run twice.
pub fn recover(app: &App) -> Result<usize, AppError> {
    app.command(|command| Ok(tenon_storage::job::end_leases(&mut command.tx)?))
}

/// How many jobs wait or run, and how many were given up.
pub fn counts(app: &App) -> Result<(i64, i64), AppError> {
    app.database().read(|tx| tenon_storage::job::counts(tx).map_err(AppError::from))
}

/// The state of every queue, and the jobs that were given up last, newest first, up to `limit`.
pub fn report(app: &App, limit: i64) -> Result<(Vec<QueueState>, Vec<DeadJob>), AppError> {
    use tenon_storage::job::{dead, states};
    app.database().read(|tx| Ok::<_, AppError>((states(tx)?, dead(tx, limit)?)))
}

/// Makes jobs of all events that wait for the relay.
pub fn relay_events(app: &App) -> Result<(), AppError> {
    while app.command(relay::run)? > 0 {}
    Ok(())
}

/// Puts work in its queue that is given as it is stored, such as `{"kind": "delete_project", "project": 1}`: for tests
/// and tools.
pub fn enqueue_stored(app: &App, payload: &str) -> Result<(), AppError> {
    let handler::KindOf { kind } = serde_json::from_str(payload).map_err(AppError::internal)?;
    let handler = app.registry().handler(&kind)?;
    app.command(|command| (handler.enqueue)(payload, command))
}

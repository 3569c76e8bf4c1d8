//! Running jobs.

use std::time::Duration;

use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_storage::job::{self, Job, Kinds};
use tokio::sync::watch;

use super::relay;
use super::work::Work;
use crate::app::App;
use crate::error::{AppError, chain};

/// How long a claimed job belongs to its runner, unless the runner renews it. A job whose process has died is taken up
/// again after this.
const LEASE: TimeDelta = TimeDelta::minutes(5);
/// How often a runner renews the lease of the job at hand.
const RENEWAL: Duration = Duration::from_mins(1);
/// How often a job is tried before it is parked.
const MAX_ATTEMPTS: i64 = 12;

/// How patient an idle runner is.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// The pause after the queue was found empty.
    pub idle: Duration,
    /// The pause between two rounds of tidying up.
    pub tidy: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self { idle: Duration::from_millis(500), tidy: Duration::from_mins(1) }
    }
}

/// Works off the outbox and the queue.
#[derive(Clone)]
pub struct Runner {
    app: App,
    kinds: Kinds<'static>,
}

impl Runner {
    /// A runner for everything.
    pub fn new(app: App) -> Self {
        Self { app, kinds: Kinds::AllBut(&[]) }
    }

    /// Two runners that share the work: one for what may take very long, such as an import, and one for all else, which
    /// somebody waits for.
    pub fn pair(app: &App) -> [Self; 2] {
        [Kinds::AllBut(&Work::LONG), Kinds::Only(&Work::LONG)].map(|kinds| Self { app: app.clone(), kinds })
    }

    /// Works until `stop` turns true; the job at hand is finished first.
    pub async fn run(&self, pace: Pace, mut stop: watch::Receiver<bool>) {
        let mut tidy = tokio::time::interval(pace.tidy);
        loop {
            if let Err(error) = self.work_off(&stop).await {
                tracing::error!(%error, "the job runner stumbled");
            }
            if *stop.borrow() {
                break;
            }
            tokio::select! {
                _ = tidy.tick() => self.tidy_up(),
                // The queue is asked again now and then: other processes fill it too, and none can wake this one.
                () = tokio::time::sleep(pace.idle) => {}
                _ = stop.changed() => {}
            }
        }
        self.tidy_up();
    }

    /// Does everything that is due now, and what that asks for in turn; yields how many jobs were run.
    pub async fn run_until_idle(&self) -> Result<usize, AppError> {
        let (_keep, never) = watch::channel(false);
        self.work_off(&never).await
    }

    async fn work_off(&self, stop: &watch::Receiver<bool>) -> Result<usize, AppError> {
        let mut done = 0;
        while !*stop.borrow() {
            let relayed = self.blocking(|app| relay::run(&app)).await?;
            let kinds = self.kinds;
            let Some(job) = self.blocking(move |app| claim(&app, kinds)).await? else {
                if relayed == 0 {
                    break;
                }
                continue;
            };
            self.run_one(job).await?;
            done += 1;
        }
        Ok(done)
    }

    async fn run_one(&self, job: Job) -> Result<(), AppError> {
        let outcome = match serde_json::from_str::<Work>(&job.payload) {
            // Handlers block on the database in between: they get a thread of their own.
            Ok(work) => {
                let app = self.app.clone();
                let handle = tokio::runtime::Handle::current();
                let run = tokio::task::spawn_blocking(move || handle.block_on(work.run(&app)));
                self.renewing(&job, run).await.unwrap_or_else(|panicked| Err(AppError::internal(panicked)))
            }
            Err(unreadable) => Err(AppError::internal(unreadable)),
        };
        self.blocking(move |app| settle(&app, &job, outcome)).await
    }

    /// Waits for `run` and keeps the lease alive meanwhile, so that nobody else takes up a job that only takes long.
    async fn renewing<T>(&self, job: &Job, run: tokio::task::JoinHandle<T>) -> Result<T, tokio::task::JoinError> {
        let first = tokio::time::Instant::now() + RENEWAL;
        let mut renewals = tokio::time::interval_at(first, RENEWAL);
        tokio::pin!(run);
        loop {
            tokio::select! {
                outcome = &mut run => return outcome,
                _ = renewals.tick() => {
                    let id = job.id;
                    let renewed = self.blocking(move |app| app.command(|command| {
                        let until = command.now + LEASE;
                        Ok(job::renew(&mut command.tx, id, until)?)
                    }));
                    if let Err(error) = renewed.await {
                        tracing::warn!(%error, job.id = %id, "a lease could not be renewed");
                    }
                }
            }
        }
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(App) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let app = self.app.clone();
        tokio::task::spawn_blocking(move || work(app)).await.map_err(AppError::internal)?
    }

    fn tidy_up(&self) {
        if let Err(error) = crate::token::usage::flush(&self.app) {
            tracing::warn!(%error, "the use of tokens could not be written down");
        }
        let purged = self.app.command(|command| {
            let today = command.now.date_naive();
            let now = command.now;
            let members = tenon_storage::member::purge_expired(&mut command.tx, today)?;
            let sessions = tenon_storage::session::purge_expired(&mut command.tx, now)?;
            Ok(members + sessions)
        });
        if let Err(error) = purged {
            tracing::warn!(%error, "expired rows could not be removed");
        }
        if let Err(error) = self.app.database().analyse() {
            tracing::warn!(%error, "the database's statistics could not be renewed");
        }
    }
}

fn claim(app: &App, kinds: Kinds<'_>) -> Result<Option<Job>, AppError> {
    app.command(|command| {
        let now = command.now;
        while let Some(job) = job::claim(&mut command.tx, kinds, now, now + LEASE)? {
            if job.attempts <= MAX_ATTEMPTS {
                return Ok(Some(job));
            }
            // It was claimed that often and never settled: it takes its process down.
            tracing::error!(job.kind = %job.kind, job.id = %job.id, "a job is given up");
            job::bury(&mut command.tx, job.id, "its runner died each time")?;
        }
        Ok(None)
    })
}

/// Removes a job that is done; gives a failed one back after a pause that grows, or parks it.
fn settle(app: &App, job: &Job, outcome: Result<(), AppError>) -> Result<(), AppError> {
    app.command(|command| {
        let Err(error) = outcome else { return Ok(job::finish(&mut command.tx, job.id)?) };
        let text = chain(&error);
        tracing::warn!(job.kind = %job.kind, job.id = %job.id, job.attempts = job.attempts, error = %text, "a job failed");
        if job.attempts >= MAX_ATTEMPTS {
            job::bury(&mut command.tx, job.id, &text)?;
            return serde_json::from_str::<Work>(&job.payload).map_or(Ok(()), |work| work.give_up(command));
        }
        let mut dice = [0];
        app.entropy().fill(&mut dice);
        let run_at = next_try(command.now, job.attempts, dice[0]);
        Ok(job::retry(&mut command.tx, job.id, run_at, &text)?)
    })
}

/// When a job that failed for the `attempts`th time is tried again: 2, 4, 8 ... seconds later, about half an hour at
/// most, each lengthened by up to a quarter so that jobs that failed together do not come back together.
fn next_try(now: Timestamp, attempts: i64, dice: u8) -> Timestamp {
    let exponent = u32::try_from(attempts.clamp(1, 11)).unwrap_or(11);
    let pause = 1000 * 2_i64.pow(exponent);
    now + TimeDelta::milliseconds(pause + pause * i64::from(dice) / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_half_an_hour() {
        let now = Timestamp::UNIX_EPOCH;
        let seconds = |attempts, dice| (next_try(now, attempts, dice) - now).num_seconds();
        assert_eq!([seconds(1, 0), seconds(2, 0), seconds(3, 0)], [2, 4, 8]);
        assert_eq!(seconds(12, 0), 2048);
        assert!(seconds(3, 255) < 10);
    }
}

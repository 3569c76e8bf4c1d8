//! Running jobs.
//!
//! A runner claims several jobs at once if they are quick. It gives back the jobs that it has not begun if they are
//! not. The outcomes of its jobs, the relay of events and the next claim share one transaction.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use tenon_storage::job::{Job, Queue};
use tokio::sync::watch;

use super::turn::{self, Cursors, Done, Turn};
use crate::core::app::{App, Run};
use crate::core::error::AppError;

/// How often a runner renews the lease of a running job.
const RENEWAL: Duration = Duration::from_mins(1);
/// The most jobs that are claimed at once.
const MOST: usize = 32;
/// How long claimed jobs wait for the one before them until other runners may have them.
const PATIENCE: Duration = Duration::from_millis(250);

/// How patient an idle runner is.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// The longest pause after the queue was found empty. A runner is woken earlier by what its own process queues;
    /// what other processes queue, and what becomes due, waits so long at most.
    pub idle: Duration,
    /// The pause between two rounds of removing what has expired.
    pub tidy: Duration,
    /// The pause between two times that the use of tokens and accounts is written.
    pub flush: Duration,
    /// The pause between two reads of the settings, which another process may have changed.
    pub settings: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            idle: Duration::from_millis(500),
            tidy: Duration::from_mins(1),
            flush: Duration::from_secs(5),
            settings: Duration::from_secs(1),
        }
    }
}

/// Relays the events of the outbox, and runs the jobs of its queues.
#[derive(Clone)]
pub struct Runner {
    app: App,
    /// The first that has something to do is served first.
    queues: &'static [Queue],
    /// So many times as long as others it sleeps if nothing wakes it.
    sleepiness: u32,
}

/// Runners of one queue that look for work by themselves as often as they may. Further ones are woken by those, so that many
/// idle runners cost no more than a few.
const WATCHFUL: usize = 2;
/// How many times as long as those the others sleep.
const SLEEPY: u32 = 60;

/// The state that a runner keeps between two turns.
struct Round {
    /// How many jobs it claims next.
    size: usize,
    /// Jobs whose end is to be written.
    done: Vec<Done>,
    /// Whose turn it is.
    cursors: Cursors,
}

impl Runner {
    /// A runner for everything.
    pub fn new(app: App) -> Self {
        Self { app, queues: &Queue::ALL, sleepiness: 1 }
    }

    /// The runners of a server: so many for each queue as the limits say, and at least one.
    pub fn pool(app: &App) -> Vec<Self> {
        let limits = &app.limits().jobs;
        let of = |count: usize, queues: &'static [Queue]| {
            (0..count.max(1)).map(move |place| Self {
                app: app.clone(),
                queues,
                sleepiness: if place < WATCHFUL { 1 } else { SLEEPY },
            })
        };
        of(limits.short_runners, &[Queue::Short])
            .chain(of(limits.git_runners, &[Queue::Git]))
            .chain(of(limits.fork_runners, &[Queue::Forks]))
            .chain(of(limits.import_runners, &[Queue::Imports]))
            .chain(of(limits.maintenance_runners, &[Queue::Maintenance]))
            .chain(of(limits.hook_runners, &[Queue::Hooks]))
            .chain(of(limits.mail_runners, &[Queue::Mail]))
            .collect()
    }

    /// Works until `stop` turns true; a running job is finished first.
    pub async fn run(&self, pace: Pace, mut stop: watch::Receiver<bool>) {
        loop {
            let worked = self.work_off(&stop).await;
            if let Err(error) = &worked {
                tracing::error!(%error, "a job runner failed and starts again");
            }
            if *stop.borrow() {
                break;
            }
            tokio::select! {
                // After a failure it would fail again at once.
                () = self.woken(), if worked.is_ok() => {}
                () = tokio::time::sleep(pace.idle * self.sleepiness) => {}
                changed = stop.changed() => {
                    if changed.is_err() {
                        break;
                    }
                }
            }
        }
    }

    /// Does everything that is due now, and what that asks for in turn; returns how many jobs were run.
    pub async fn run_until_idle(&self) -> Result<usize, AppError> {
        let (_keep, never) = watch::channel(false);
        self.work_off(&never).await
    }

    async fn woken(&self) {
        let wakers = self.app.wakers();
        let all = self.queues.iter().map(|queue| Box::pin(wakers.woken(*queue)));
        let _first = futures_util::future::select_all(all).await;
    }

    async fn work_off(&self, stop: &watch::Receiver<bool>) -> Result<usize, AppError> {
        let mut round = Round { size: MOST / 8, done: Vec::new(), cursors: Cursors::default() };
        let mut finished = 0;
        while !*stop.borrow() {
            let Some(turn) = self.turn(&mut round).await? else { break };
            finished += turn.finished;
            let begun = Instant::now();
            let (claimed, before) = (turn.jobs.len(), finished);
            let mut waiting: VecDeque<Job> = turn.jobs.into();
            while let Some(job) = waiting.pop_front() {
                if (finished > before && begun.elapsed() >= PATIENCE) || *stop.borrow() {
                    waiting.push_front(job);
                    self.give_back(&mut round, &mut waiting).await?;
                    break;
                }
                round.cursors.began(&job);
                let outcome = self.run_one(&job, begun, &mut round, &mut waiting).await?;
                finished += 1;
                round.done.push(Done { job, outcome });
            }
            round.size = next_size(claimed, begun.elapsed());
        }
        self.give_back(&mut round, &mut VecDeque::new()).await?;
        Ok(finished)
    }

    /// Writes what became of jobs, and claims the next ones; `None` if nothing is to be done.
    async fn turn(&self, round: &mut Round) -> Result<Option<Turn>, AppError> {
        let (queues, done, size) = (self.queues, std::mem::take(&mut round.done), round.size);
        let mut cursors = std::mem::take(&mut round.cursors);
        let (turn, cursors) = self
            .blocking(move |app| {
                let turn = turn::take(&app, queues, size, done, &mut cursors)?;
                Ok((turn, cursors))
            })
            .await?;
        round.cursors = cursors;
        Ok(turn)
    }

    /// Writes what became of jobs, and gives those back that were not begun.
    async fn give_back(&self, round: &mut Round, waiting: &mut VecDeque<Job>) -> Result<(), AppError> {
        let (done, jobs) = (std::mem::take(&mut round.done), std::mem::take(waiting));
        if done.is_empty() && jobs.is_empty() {
            return Ok(());
        }
        self.blocking(move |app| turn::give_back(&app, done, &Vec::from(jobs))).await
    }

    /// Runs a job. Its lease is renewed for as long as it takes, so that no other runner claims it. If it takes long,
    /// the jobs claimed with it are given back.
    async fn run_one(
        &self,
        job: &Job,
        begun: Instant,
        round: &mut Round,
        waiting: &mut VecDeque<Job>,
    ) -> Result<Result<(), AppError>, AppError> {
        let handler = match self.app.registry().handler(&job.kind) {
            Ok(handler) => handler,
            Err(unknown) => return Ok(Err(unknown)),
        };
        // Handlers block on the database, on files and on Git: they get a thread of their own.
        let (app, payload) = (self.app.charging(job.user), job.payload.clone());
        let runtime = tokio::runtime::Handle::current();
        let mut run = tokio::task::spawn_blocking(move || match handler.run {
            Run::Rows(run) => app.command(|command| run(&payload, command)),
            Run::Blocking(run) => run(&payload, &app, &runtime),
        });
        let mut renewals = tokio::time::interval_at(tokio::time::Instant::now() + RENEWAL, RENEWAL);
        let patience = tokio::time::sleep(PATIENCE.saturating_sub(begun.elapsed()));
        tokio::pin!(patience);
        let mut is_patient = true;
        loop {
            tokio::select! {
                outcome = &mut run => {
                    return Ok(outcome.unwrap_or_else(|panicked| Err(AppError::internal(panicked))));
                }
                () = &mut patience, if is_patient => {
                    is_patient = false;
                    if let Err(error) = self.give_back(round, waiting).await {
                        tracing::warn!(%error, "jobs could not be given back: they wait for the end of their leases");
                    }
                }
                _ = renewals.tick() => self.renew(job.clone()).await,
            }
        }
    }

    async fn renew(&self, job: Job) {
        let id = job.id;
        match self.blocking(move |app| turn::renew(&app, &job)).await {
            Ok(true) => {}
            Ok(false) => tracing::warn!(job.id = %id, "the lease of a job was lost: it may be run twice"),
            Err(error) => tracing::warn!(%error, job.id = %id, "a lease could not be renewed"),
        }
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(App) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let app = self.app.clone();
        tokio::task::spawn_blocking(move || work(app)).await.map_err(AppError::internal)?
    }
}

/// How many jobs are claimed after so many took this long: as many as are likely to be done before patience ends.
fn next_size(claimed: usize, took: Duration) -> usize {
    if took < PATIENCE / 4 {
        return (claimed.max(MOST / 8) * 2).min(MOST);
    }
    let each = took.as_millis() / u128::try_from(claimed.max(1)).unwrap_or(1);
    let fitting = PATIENCE.as_millis() / 2 / each.max(1);
    usize::try_from(fitting).unwrap_or(MOST).clamp(1, MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_jobs_are_claimed_together_and_slow_ones_alone() {
        let after = |claimed, millis| next_size(claimed, Duration::from_millis(millis));
        assert_eq!([after(4, 1), after(8, 10), after(32, 20)], [8, 16, 32]);
        assert_eq!([after(1, 2000), after(32, 300), after(8, 80)], [1, 13, 12]);
    }
}

//! One transaction of a runner: what became of its last jobs, the relay, and the next claim.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tenon_domain::backoff::{lengthened, pause_after};
use tenon_domain::id::UserId;
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_storage::job::{self, Burial, Claim, Job, Queue};
use tenon_storage::{ReadTx, event};

use super::relay;
use crate::core::app::{App, Command, Run};
use crate::core::caller::Caller;
use crate::core::error::{AppError, chain};
use crate::core::spending::worker_pool::outcome_of;

/// How long a claimed job belongs to its runner, unless the runner renews it. A job whose process has died is claimed
/// again after this.
const LEASE: TimeDelta = TimeDelta::minutes(5);
/// How often a job may fail before it is given up.
const MAX_FAILURES: i64 = 12;
/// How often the process of a job may end before the job does, before it is given up. More often than a job may fail:
/// the process may have been killed for another reason.
const MAX_DEATHS: i64 = 50;
/// The shortest pause after which a job is tried again that found the server busy.
const BUSY_PAUSE: TimeDelta = TimeDelta::seconds(5);
/// The pause after which a job is tried again that found the disk full.
const DISK_FULL_PAUSE: TimeDelta = TimeDelta::minutes(1);
/// How long jobs that only change rows may keep other writers waiting, together.
const ROWS_TIME: Duration = Duration::from_millis(10);

/// A job that was run.
pub(super) struct Done {
    pub(super) job: Job,
    pub(super) outcome: Result<(), AppError>,
}

/// Of which user a runner began a job last, for each queue: the next user comes first. Jobs that were claimed and
/// given back do not count. It is not stored: a runner that starts anew begins with any user, and takes turns from
/// there.
#[derive(Default)]
pub(super) struct Cursors(HashMap<Queue, Option<UserId>>);

impl Cursors {
    fn of(&self, queue: Queue) -> Option<UserId> {
        self.0.get(&queue).copied().flatten()
    }

    /// Notes that a job is being run.
    pub(super) fn began(&mut self, job: &Job) {
        self.0.insert(job.queue, job.user);
    }
}

/// The result of a transaction.
#[derive(Default)]
pub(super) struct Turn {
    /// Jobs to be run now.
    pub(super) jobs: Vec<Job>,
    /// How many jobs were run in the transaction itself.
    pub(super) finished: usize,
}

/// Writes what became of `done`, relays events if [`Queue::Short`] is served, and claims up to `size` jobs of the first
/// of these queues that has any. Jobs that only change rows are run on the spot. `None` if there was nothing to relay
/// or to claim; without `done`, nothing was written then, and no other writer had to wait. A turn without jobs is
/// followed by another one.
///
/// Users take turns, whatever one of them has queued: `cursors` knows their turns.
pub(super) fn take(
    app: &App,
    queues: &[Queue],
    size: usize,
    done: Vec<Done>,
    cursors: &mut Cursors,
) -> Result<Option<Turn>, AppError> {
    if done.is_empty() && !is_needed(app, queues)? {
        return Ok(None);
    }
    let claimed = app.command(|command| {
        write_ends(command, done)?;
        let relayed = if queues.contains(&Queue::Short) { relay::run(command)? } else { 0 };
        let now = command.now;
        let claims = queues.iter().map(|queue| claim_of(app, *queue, size, cursors.of(*queue), now));
        match first_due(&mut command.tx, claims)? {
            Some(due) => claim(command, &due).map(Some),
            None => Ok((relayed > 0).then(Vec::new)),
        }
    })?;
    claimed.map(|jobs| run_in_database(app, jobs, cursors)).transpose()
}

/// Writes what became of `done`, and gives `jobs` back, which were not begun.
pub(super) fn give_back(app: &App, done: Vec<Done>, jobs: &[Job]) -> Result<(), AppError> {
    app.command(|command| {
        write_ends(command, done)?;
        for job in jobs {
            job::release(&mut command.tx, job)?;
        }
        Ok(())
    })
}

/// Makes the lease of a running job longer; `false` if it has been lost.
pub(super) fn renew(app: &App, job: &Job) -> Result<bool, AppError> {
    app.command(|command| {
        let until = command.now + LEASE;
        Ok(job::renew(&mut command.tx, job, until)?)
    })
}

/// True if there is something to relay or to claim. It is only read: other writers need not wait for an idle runner.
fn is_needed(app: &App, queues: &[Queue]) -> Result<bool, AppError> {
    let now = app.now();
    app.database().read(|tx| {
        if queues.contains(&Queue::Short) && event::any_unrelayed(tx)? {
            return Ok(true);
        }
        let claims = queues.iter().map(|queue| claim_of(app, *queue, 1, None, now));
        Ok(first_due(tx, claims)?.is_some())
    })
}

/// The first of these claims for which there is a job.
fn first_due(tx: &mut ReadTx<'_>, claims: impl Iterator<Item = Claim>) -> Result<Option<Claim>, AppError> {
    for claim in claims {
        if job::is_due(tx, &claim)? {
            return Ok(Some(claim));
        }
    }
    Ok(None)
}

fn claim_of(app: &App, queue: Queue, size: usize, after: Option<UserId>, now: Timestamp) -> Claim {
    let per_user = match queue {
        Queue::Imports => i64::try_from(app.limits().jobs.imports_per_user.max(1)).ok(),
        Queue::Hooks => i64::try_from(app.limits().jobs.hooks_per_user.max(1)).ok(),
        Queue::Short | Queue::Git | Queue::Forks | Queue::Maintenance | Queue::Mail => None,
    };
    let size = match queue {
        Queue::Short | Queue::Git => size,
        // They take long, and other runners may be free.
        Queue::Forks | Queue::Imports | Queue::Maintenance | Queue::Hooks | Queue::Mail => 1,
    };
    Claim { queue, limit: i64::try_from(size).unwrap_or(1), per_user, after, now }
}

fn claim(command: &mut Command<'_>, asked: &Claim) -> Result<Vec<Job>, AppError> {
    let mut jobs = Vec::new();
    while jobs.is_empty() {
        let found = job::claim(&mut command.tx, asked, asked.now + LEASE)?;
        if found.is_empty() {
            break;
        }
        if i64::try_from(found.len()) == Ok(asked.limit) {
            // There may be more than this runner can do alone.
            command.app.wakers().wake(asked.queue);
        }
        for job in alone(command, found)? {
            if job.deaths < MAX_DEATHS {
                jobs.push(job);
                continue;
            }
            let text = format!("the process ended {} times before the job did", job.deaths);
            give_up(command, &job, job.failures, &text)?;
        }
    }
    Ok(jobs)
}

/// The jobs of a claim that may be run one after the other. One whose process has ended before is run alone: should it
/// do so again, no other job is claimed and not begun with it. The others are given back.
fn alone(command: &mut Command<'_>, found: Vec<Job>) -> Result<Vec<Job>, AppError> {
    let is_first_suspect = found.first().is_some_and(|job| job.deaths > 0);
    let (mut kept, mut others) = (Vec::new(), Vec::new());
    for job in found {
        let fits = if is_first_suspect { kept.is_empty() } else { job.deaths == 0 };
        if fits { kept.push(job) } else { others.push(job) }
    }
    for job in &others {
        job::release(&mut command.tx, job)?;
    }
    Ok(kept)
}

/// Runs those of the jobs that only change rows, several in one transaction, each undone by itself if it fails. They
/// have been claimed before, so that one that takes the process down is not tried for ever.
fn run_in_database(app: &App, jobs: Vec<Job>, cursors: &mut Cursors) -> Result<Turn, AppError> {
    let mut turn = Turn::default();
    let mut rows = Vec::new();
    for job in jobs {
        match app.registry().handler(&job.kind).map(|handler| handler.run) {
            Ok(Run::Rows(run)) => rows.push((job, run)),
            // A job without a handler fails like a job that is run.
            Ok(Run::Blocking(_)) | Err(_) => turn.jobs.push(job),
        }
    }
    rows.reverse();
    while !rows.is_empty() {
        turn.finished += app.command(|command| {
            let begun = Instant::now();
            let mut done = Vec::new();
            while begun.elapsed() < ROWS_TIME
                && let Some((job, run)) = rows.pop()
            {
                let outcome = within(&app.charging(job.user), command, |command| run(&job.payload, command));
                cursors.began(&job);
                done.push(Done { job, outcome });
            }
            let count = done.len();
            write_ends(command, done)?;
            Ok(count)
        })?;
    }
    Ok(turn)
}

/// As [`App::command`], as a part of the transaction of `outer`: if it fails, only what it wrote is undone.
fn within<T>(
    app: &App,
    outer: &mut Command<'_>,
    work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError>,
) -> Result<T, AppError> {
    let (caller, now) = (Caller::default(), outer.now);
    outer.tx.attempt(|tx| outcome_of(|| work(&mut Command::new(tx.reborrow(), app, &caller, now))))
}

fn write_ends(command: &mut Command<'_>, done: Vec<Done>) -> Result<(), AppError> {
    for Done { job, outcome } in done {
        if !write_end(command, &job, outcome)? {
            tracing::warn!(job.kind = %job.kind, job.id = %job.id, "the lease of a job was lost: its end is not recorded");
        }
    }
    Ok(())
}

/// Removes a job that is done; gives a failed one back after a pause that grows, or gives it up. A job that found the
/// server busy, or its disk full, has not failed: it comes back after a pause, however often. `false` if the runner
/// does not hold it any more.
fn write_end(command: &mut Command<'_>, job: &Job, outcome: Result<(), AppError>) -> Result<bool, AppError> {
    let jitter = command.app.jitter();
    let error = match outcome {
        Ok(()) => return Ok(job::finish(&mut command.tx, job)?),
        Err(AppError::Busy { retry_after }) => {
            tracing::debug!(job.kind = %job.kind, job.id = %job.id, retry_after, "a job waits: the server is busy");
            let pause = TimeDelta::seconds(retry_after.into()).max(BUSY_PAUSE);
            return Ok(job::postpone(&mut command.tx, job, command.now + lengthened(pause, jitter))?);
        }
        Err(AppError::DiskFull) => {
            let pause = lengthened(DISK_FULL_PAUSE, jitter);
            return Ok(job::postpone(&mut command.tx, job, command.now + pause)?);
        }
        Err(error) => error,
    };
    let text = chain(&error);
    let failures = job.failures + 1;
    tracing::warn!(job.kind = %job.kind, job.id = %job.id, job.failures = failures, error = %text, "a job failed");
    if failures >= MAX_FAILURES {
        return give_up(command, job, failures, &format!("failed {failures} times, at last: {text}"));
    }
    let run_at = next_try(command.now, failures, jitter);
    Ok(job::retry(&mut command.tx, job, run_at, &text)?)
}

/// Gives a job up; `false` if the runner does not hold it any more.
fn give_up(command: &mut Command<'_>, job: &Job, failures: i64, text: &str) -> Result<bool, AppError> {
    tracing::error!(job.kind = %job.kind, job.id = %job.id, reason = text, "a job is given up");
    let burial = job::bury(&mut command.tx, job, failures, text)?;
    // A payload that cannot be read names no user to notify.
    if burial == Burial::Buried
        && let Ok(handler) = command.app.registry().handler(&job.kind)
    {
        let outcome = within(command.app, command, |command| (handler.give_up)(&job.payload, command));
        if let Err(error) = outcome {
            tracing::error!(job.kind = %job.kind, job.id = %job.id, %error, "users do not see that a job was given up");
        }
    }
    Ok(burial != Burial::Lost)
}

/// When a job that has failed so many times is tried again: 2, 4, 8 ... seconds later, about half an hour at most.
fn next_try(now: Timestamp, failures: i64, jitter: u8) -> Timestamp {
    now + pause_after(TimeDelta::seconds(1), failures.max(1), TimeDelta::seconds(2048), jitter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_half_an_hour() {
        let now = Timestamp::UNIX_EPOCH;
        let seconds = |attempts, jitter| (next_try(now, attempts, jitter) - now).num_seconds();
        assert_eq!([seconds(1, 0), seconds(2, 0), seconds(3, 0)], [2, 4, 8]);
        assert_eq!(seconds(12, 0), 2048);
        assert!(seconds(3, 255) < 10);
    }
}

//! One transaction of a runner: what became of its last jobs, the relay, and the next claim.

use std::time::{Duration, Instant};

use tenon_domain::id::UserId;
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_storage::event;
use tenon_storage::job::{self, Claim, Job, Queue};

use super::relay;
use super::work::{RowWork, Work};
use crate::app::App;
use crate::context::Command;
use crate::error::{AppError, chain};

/// How long a claimed job belongs to its runner, unless the runner renews it. A job whose process has died is claimed again
/// after this.
const LEASE: TimeDelta = TimeDelta::minutes(5);
/// How often a job is tried that fails, before it is parked.
const MAX_ATTEMPTS: i64 = 12;
/// How often a job is claimed whose process ends before the job does, before it is parked. More often than a job that fails:
/// the process may have been killed for another reason.
const MAX_CLAIMS: i64 = 50;
/// How long jobs that only change rows may keep other writers waiting, together.
const ROWS_TIME: Duration = Duration::from_millis(50);

/// A job that was run.
pub(super) struct Done {
    pub(super) job: Job,
    pub(super) outcome: Result<(), AppError>,
}

/// What came of a transaction.
#[derive(Default)]
pub(super) struct Turn {
    /// Jobs to be run now.
    pub(super) jobs: Vec<Job>,
    /// How many jobs were run in the transaction itself.
    pub(super) finished: usize,
}

/// Writes what became of `done`, relays events where [`Queue::Short`] is served, and claims up to `size` jobs of the first of
/// these queues that has any. Jobs that only change rows are run on the spot. `None` where there was nothing to do: then
/// nothing was written, and no other writer had to wait.
///
/// Where users have jobs waiting in a queue of theirs, each has one done before any of them has a second one done: `served`
/// are those who had.
pub(super) fn take(
    app: &App,
    queues: &[Queue],
    size: usize,
    done: Vec<Done>,
    served: &mut Vec<UserId>,
) -> Result<Option<Turn>, AppError> {
    if done.is_empty() && !is_needed(app, queues)? {
        return Ok(None);
    }
    let mut turn = app.command(|command| {
        write_ends(command, done)?;
        let mut relayed = 0;
        if queues.contains(&Queue::Short) {
            relayed = relay::run(command)?;
        }
        let mut jobs = Vec::new();
        for queue in queues {
            jobs = claim(command, *queue, size, served)?;
            if !jobs.is_empty() {
                break;
            }
        }
        Ok((jobs, relayed))
    })?;
    if turn.0.is_empty() && turn.1 == 0 && !is_needed(app, queues)? {
        return Ok(None);
    }
    run_in_database(app, std::mem::take(&mut turn.0)).map(Some)
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

/// Makes the lease of a running job longer; `false` where it has been lost.
pub(super) fn renew(app: &App, job: &Job) -> Result<bool, AppError> {
    app.command(|command| {
        let until = command.now + LEASE;
        Ok(job::renew(&mut command.tx, job, until)?)
    })
}

/// Whether there is something to relay or to claim. It is only read: other writers need not wait for an idle runner.
fn is_needed(app: &App, queues: &[Queue]) -> Result<bool, AppError> {
    let now = app.now();
    app.database().read(|tx| {
        if queues.contains(&Queue::Short) && event::any_unrelayed(tx)? {
            return Ok(true);
        }
        for queue in queues {
            if job::is_due(tx, &claim_of(app, *queue, 1, &[], now))? {
                return Ok(true);
            }
        }
        Ok(false)
    })
}

fn claim_of<'a>(app: &App, queue: Queue, size: usize, passing: &'a [UserId], now: Timestamp) -> Claim<'a> {
    let per_user = match queue {
        Queue::Imports => i64::try_from(app.limits().jobs.imports_per_user.max(1)).ok(),
        Queue::Short | Queue::Forks | Queue::Maintenance => None,
    };
    let size = match queue {
        Queue::Short => size,
        // They take long, and other runners may be free.
        Queue::Forks | Queue::Imports | Queue::Maintenance => 1,
    };
    Claim { queue, limit: i64::try_from(size).unwrap_or(1), per_user, passing, now }
}

fn claim(command: &mut Command<'_>, queue: Queue, size: usize, served: &mut Vec<UserId>) -> Result<Vec<Job>, AppError> {
    let (app, now) = (command.app, command.now);
    let mut jobs = Vec::new();
    while jobs.is_empty() {
        let asked = claim_of(app, queue, size, served, now);
        let limit = asked.limit;
        let mut found = job::claim(&mut command.tx, &asked, now + LEASE)?;
        if found.is_empty() && !served.is_empty() {
            served.clear();
            found = job::claim(&mut command.tx, &claim_of(app, queue, size, &[], now), now + LEASE)?;
        }
        if found.is_empty() {
            break;
        }
        if i64::try_from(found.len()) == Ok(limit) {
            // There may be more than this runner can do alone.
            app.wakers().wake(queue);
        }
        for job in alone(command, found)? {
            if job.attempts <= MAX_CLAIMS {
                jobs.push(job);
                continue;
            }
            // It was claimed that often and never ended: it takes its process down.
            tracing::error!(job.kind = %job.kind, job.id = %job.id, "a job is given up");
            job::bury(&mut command.tx, &job, "its runner died each time")?;
        }
    }
    Ok(jobs)
}

/// The jobs of a claim that may be run one after the other. One that was claimed before is run alone: should it end the
/// process, no other job is claimed in vain with it. The others are given back.
fn alone(command: &mut Command<'_>, found: Vec<Job>) -> Result<Vec<Job>, AppError> {
    let is_first_again = found.first().is_some_and(|job| job.attempts > 1);
    let (mut kept, mut others) = (Vec::new(), Vec::new());
    for job in found {
        let fits = if is_first_again { kept.is_empty() } else { job.attempts == 1 };
        if fits { kept.push(job) } else { others.push(job) }
    }
    for job in &others {
        job::release(&mut command.tx, job)?;
    }
    Ok(kept)
}

/// Runs those of the jobs that only change rows, several in one transaction, each undone by itself where it fails. They have
/// been claimed before, so that one that takes the process down is not tried for ever.
fn run_in_database(app: &App, jobs: Vec<Job>) -> Result<Turn, AppError> {
    let mut turn = Turn::default();
    let mut rows: Vec<(Job, RowWork)> = Vec::new();
    for job in jobs {
        match serde_json::from_str::<Work>(&job.payload).ok().and_then(|work| work.rows()) {
            Some(work) => rows.push((job, work)),
            None => turn.jobs.push(job),
        }
    }
    rows.reverse();
    while !rows.is_empty() {
        turn.finished += app.command(|command| {
            let begun = Instant::now();
            let mut done = Vec::new();
            while begun.elapsed() < ROWS_TIME
                && let Some((job, work)) = rows.pop()
            {
                let outcome = app.command_within(command, |command| work.run(command));
                done.push(Done { job, outcome });
            }
            let count = done.len();
            write_ends(command, done)?;
            Ok(count)
        })?;
    }
    Ok(turn)
}

fn write_ends(command: &mut Command<'_>, done: Vec<Done>) -> Result<(), AppError> {
    for Done { job, outcome } in done {
        if !write_end(command, &job, outcome)? {
            tracing::warn!(job.kind = %job.kind, job.id = %job.id, "the lease of a job was lost: its end is not recorded");
        }
    }
    Ok(())
}

/// Removes a job that is done; gives a failed one back after a pause that grows, or parks it. `false` where the runner does
/// not hold it any more.
fn write_end(command: &mut Command<'_>, job: &Job, outcome: Result<(), AppError>) -> Result<bool, AppError> {
    let Err(error) = outcome else { return Ok(job::finish(&mut command.tx, job)?) };
    let text = chain(&error);
    tracing::warn!(job.kind = %job.kind, job.id = %job.id, job.attempts = job.attempts, error = %text, "a job failed");
    if job.attempts >= MAX_ATTEMPTS {
        let is_held = job::bury(&mut command.tx, job, &text)?;
        if is_held && let Ok(work) = serde_json::from_str::<Work>(&job.payload) {
            work.give_up(command)?;
        }
        return Ok(is_held);
    }
    let mut jitter = [0];
    command.app.entropy().fill(&mut jitter);
    let run_at = next_try(command.now, job.attempts, jitter[0]);
    Ok(job::retry(&mut command.tx, job, run_at, &text)?)
}

/// When a job that failed for the `attempts`th time is tried again: 2, 4, 8 ... seconds later, about half an hour at
/// most, each lengthened by up to a quarter so that jobs that failed together do not come back together.
fn next_try(now: Timestamp, attempts: i64, jitter: u8) -> Timestamp {
    let exponent = u32::try_from(attempts.clamp(1, 11)).unwrap_or(11);
    let pause = 1000 * 2_i64.pow(exponent);
    now + TimeDelta::milliseconds(pause + pause * i64::from(jitter) / 1024)
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

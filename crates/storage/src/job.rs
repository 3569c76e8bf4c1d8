//! The queues of jobs. A job is claimed by a lease that ends by itself, so that a crash gives the job back.
//!
//! The holder of a job is known by the number of claims: what a runner does with a job after its lease has ended and another
//! runner has claimed the job changes nothing, and returns `false`.

use std::sync::atomic::{AtomicU8, Ordering};

use diesel::prelude::*;
use tenon_domain::id::{JobId, UserId};
use tenon_domain::time::Timestamp;

use crate::connection::on_each;
use crate::dialect::{self, DueJobs};
use crate::error::StoreResult;
use crate::row::naive;
use crate::schema::jobs;
use crate::unit_of_work::{ReadTx, WriteTx};

/// What jobs wait in. The names are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    /// For what takes seconds at most, usually.
    Short,
    /// For copies of repositories on this server.
    Forks,
    /// For copies of repositories from other servers.
    Imports,
    /// For what keeps repositories quick to read.
    Maintenance,
}

impl Queue {
    /// All queues.
    pub const ALL: [Self; 4] = [Self::Short, Self::Forks, Self::Imports, Self::Maintenance];

    /// Its name in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::Forks => "forks",
            Self::Imports => "imports",
            Self::Maintenance => "maintenance",
        }
    }

    const fn bit(self) -> u8 {
        match self {
            Self::Short => 1,
            Self::Forks => 2,
            Self::Imports => 4,
            Self::Maintenance => 8,
        }
    }
}

/// The queues that a transaction puts something into.
#[derive(Debug, Default)]
pub(crate) struct QueueSet(AtomicU8);

impl QueueSet {
    pub(crate) fn insert(&self, queue: Queue) {
        self.0.fetch_or(queue.bit(), Ordering::Relaxed);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Queue> {
        let bits = self.0.load(Ordering::Relaxed);
        Queue::ALL.into_iter().filter(move |queue| bits & queue.bit() != 0)
    }
}

/// A job to be queued.
#[derive(Debug, Clone, Copy)]
pub struct NewJob<'a> {
    /// Which handler it is for.
    pub kind: &'a str,
    /// The handler's argument.
    pub payload: &'a str,
    /// Where it waits.
    pub queue: Queue,
    /// For whom it is done, where one user may have only so many at once.
    pub user: Option<UserId>,
    /// Not before this moment.
    pub run_at: Timestamp,
}

/// A claimed job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// Which handler it is for.
    pub kind: String,
    /// The handler's argument.
    pub payload: String,
    /// Where it was claimed.
    pub queue: Queue,
    /// For whom it is done.
    pub user: Option<UserId>,
    /// How many times it was claimed, this one included.
    pub attempts: i64,
    /// What it is deduplicated by while it waits.
    dedup_key: Option<String>,
}

/// Puts a job in its queue. Where the same one waits already, that stays with its time and nothing else happens; one that is
/// being run does not count as waiting.
pub fn enqueue(tx: &mut WriteTx<'_>, job: &NewJob<'_>) -> StoreResult<()> {
    let row = (
        jobs::kind.eq(job.kind),
        jobs::payload.eq(job.payload),
        jobs::dedup_key.eq(Some(job.payload)),
        jobs::queue.eq(job.queue.as_str()),
        jobs::user_id.eq(job.user.map(UserId::get)),
        jobs::run_at.eq(naive(job.run_at)),
        jobs::created_at.eq(naive(job.run_at)),
    );
    let queued =
        on_each!(tx.conn, c => diesel::insert_into(jobs::table).values(row).on_conflict_do_nothing().execute(c))?;
    if queued > 0 {
        tx.queued(job.queue);
    }
    Ok(())
}

/// Which jobs a runner asks for.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// From this queue.
    pub queue: Queue,
    /// So many at most.
    pub limit: i64,
    /// How many jobs of one user may be claimed at once; `None` for any number. With it, one job is claimed at a time.
    pub per_user: Option<i64>,
    /// Not the jobs of these users.
    pub passing: &'a [UserId],
    /// The moment of the claim.
    pub now: Timestamp,
}

/// Claims the jobs of a queue that have been due for the longest until `lease_until`; other runners pass over them until then.
/// What is asked for from now on is not what these jobs do: their deduplication keys are free again.
pub fn claim(tx: &mut WriteTx<'_>, asked: &Claim<'_>, lease_until: Timestamp) -> StoreResult<Vec<Job>> {
    let passing = passed_over(tx, asked)?;
    let mut found = dialect::lock_due_jobs(tx.conn, &due(asked, &passing, asked.limit))?;
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<i64> = found.iter().map(|(id, _)| *id).collect();
    let mut rows: Vec<(i64, String, String, Option<i64>, i64)> =
        diesel::update(jobs::table.filter(jobs::id.eq_any(ids)))
            .set((
                jobs::lease_until.eq(naive(lease_until)),
                jobs::attempts.eq(jobs::attempts + 1),
                jobs::dedup_key.eq(None::<String>),
            ))
            .returning((jobs::id, jobs::kind, jobs::payload, jobs::user_id, jobs::attempts))
            .get_results(tx.conn)?;
    // The statement returns them in any order.
    let place = |id: i64| found.iter().position(|(found, _)| *found == id);
    rows.sort_by_key(|(id, ..)| place(*id));
    Ok(rows
        .into_iter()
        .zip(found.iter_mut())
        .map(|((id, kind, payload, user, attempts), (_, dedup_key))| {
            let (id, user) = (JobId::new(id), user.map(UserId::new));
            Job { id, kind, payload, queue: asked.queue, user, attempts, dedup_key: dedup_key.take() }
        })
        .collect())
}

/// Whether there is a job that [`claim`] would return.
pub fn is_due(tx: &mut ReadTx<'_>, asked: &Claim<'_>) -> StoreResult<bool> {
    let passing = passed_over(tx, asked)?;
    Ok(!dialect::due_jobs(tx.conn, &due(asked, &passing, 1))?.is_empty())
}

fn due<'a>(asked: &Claim<'_>, passing: &'a [i64], limit: i64) -> DueJobs<'a> {
    let limit = if asked.per_user.is_some() { limit.min(1) } else { limit };
    DueJobs { queue: asked.queue.as_str(), now: naive(asked.now), passing, limit }
}

/// The users whose jobs are not claimed now: those to be passed over, and those who have as many running as they may.
fn passed_over(tx: &mut ReadTx<'_>, asked: &Claim<'_>) -> StoreResult<Vec<i64>> {
    let mut passing: Vec<i64> = asked.passing.iter().map(|user| user.get()).collect();
    let Some(limit) = asked.per_user else { return Ok(passing) };
    let running: Vec<Option<i64>> = jobs::table
        .filter(diesel::dsl::not(jobs::dead))
        .filter(jobs::queue.eq(asked.queue.as_str()))
        .filter(jobs::lease_until.ge(naive(asked.now)))
        .filter(jobs::user_id.is_not_null())
        .select(jobs::user_id)
        .load(tx.conn)?;
    for user in running.iter().flatten() {
        let count = running.iter().flatten().filter(|other| *other == user).count();
        if i64::try_from(count).is_ok_and(|count| count >= limit) && !passing.contains(user) {
            passing.push(*user);
        }
    }
    Ok(passing)
}

/// The row of a job, as long as the runner that claimed it holds it.
macro_rules! held {
    ($job:expr) => {
        jobs::table
            .find($job.id.get())
            .filter(jobs::attempts.eq($job.attempts))
            .filter(jobs::lease_until.is_not_null())
            .filter(diesel::dsl::not(jobs::dead))
    };
}

/// Ends all leases, so that their jobs can be claimed at once; returns how many there were. For the start of a process that is
/// alone: of a process that still works, jobs would be run twice.
pub fn end_leases(tx: &mut WriteTx<'_>) -> StoreResult<usize> {
    let leased = jobs::table.filter(jobs::lease_until.is_not_null()).filter(diesel::dsl::not(jobs::dead));
    Ok(diesel::update(leased).set(jobs::lease_until.eq(None::<chrono::NaiveDateTime>)).execute(tx.conn)?)
}

/// Extends a running job's lease.
pub fn renew(tx: &mut WriteTx<'_>, job: &Job, lease_until: Timestamp) -> StoreResult<bool> {
    Ok(diesel::update(held!(job)).set(jobs::lease_until.eq(naive(lease_until))).execute(tx.conn)? > 0)
}

/// Removes a finished job.
pub fn finish(tx: &mut WriteTx<'_>, job: &Job) -> StoreResult<bool> {
    Ok(diesel::delete(held!(job)).execute(tx.conn)? > 0)
}

/// Gives a failed job back to be run at `run_at`. Where the same work has been queued since it was claimed, that takes its
/// place.
pub fn retry(tx: &mut WriteTx<'_>, job: &Job, run_at: Timestamp, error: &str) -> StoreResult<bool> {
    if waits(tx, job)? {
        return finish(tx, job);
    }
    let changed = diesel::update(held!(job))
        .set((
            jobs::run_at.eq(naive(run_at)),
            jobs::lease_until.eq(None::<chrono::NaiveDateTime>),
            jobs::dedup_key.eq(&job.dedup_key),
            jobs::last_error.eq(error),
        ))
        .execute(tx.conn)?;
    Ok(changed > 0)
}

/// Gives a job back that was claimed and not begun, as if it had not been claimed.
pub fn release(tx: &mut WriteTx<'_>, job: &Job) -> StoreResult<bool> {
    if waits(tx, job)? {
        return finish(tx, job);
    }
    let changed = diesel::update(held!(job))
        .set((
            jobs::lease_until.eq(None::<chrono::NaiveDateTime>),
            jobs::attempts.eq(jobs::attempts - 1),
            jobs::dedup_key.eq(&job.dedup_key),
        ))
        .execute(tx.conn)?;
    if changed > 0 {
        tx.queued(job.queue);
    }
    Ok(changed > 0)
}

/// Whether the same work as this job's waits in the queue.
fn waits(tx: &mut WriteTx<'_>, job: &Job) -> StoreResult<bool> {
    let Some(key) = &job.dedup_key else { return Ok(false) };
    let same = jobs::table.filter(jobs::dedup_key.eq(key)).filter(diesel::dsl::not(jobs::dead));
    let found: Option<i64> = same.select(jobs::id).first(tx.conn).optional()?;
    Ok(found.is_some())
}

/// Parks a job that has failed for the last time.
pub fn bury(tx: &mut WriteTx<'_>, job: &Job, error: &str) -> StoreResult<bool> {
    Ok(diesel::update(held!(job)).set((jobs::dead.eq(true), jobs::last_error.eq(error))).execute(tx.conn)? > 0)
}

/// How many jobs wait, and how many are parked.
pub fn counts(tx: &mut ReadTx<'_>) -> StoreResult<(i64, i64)> {
    let waiting = jobs::table.filter(jobs::dead.eq(false)).count().get_result(tx.conn)?;
    let dead = jobs::table.filter(jobs::dead.eq(true)).count().get_result(tx.conn)?;
    Ok((waiting, dead))
}

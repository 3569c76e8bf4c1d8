//! The queues of jobs. A job is claimed by a lease that ends by itself, so that a crash gives the job back.
//!
//! A job is ready, scheduled for later, claimed, or given up (dead). The holder of a claimed job is known by the number of
//! claims: what a runner does with a job after its lease has ended and another runner has claimed the job changes nothing,
//! and returns `false`. Failures, and ends of the process while the job ran, are counted apart from the claims.

mod ready;
mod report;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{JobId, UserId};
use tenon_domain::time::Timestamp;

use crate::db::connection::on_each;
use crate::db::row::naive;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::jobs;

pub use crate::db::queue::Queue;
pub use report::{DeadJob, QueueState, any_waiting, counts, dead, forget, payloads, revive, states};

/// A job to be queued.
#[derive(Debug, Clone, Copy)]
pub struct NewJob<'a> {
    /// Which handler it is for.
    pub kind: &'a str,
    /// The handler's argument.
    pub payload: &'a str,
    /// The key that deduplicates it while it waits or runs.
    pub dedup_key: &'a str,
    /// The queue in which it waits.
    pub queue: Queue,
    /// The user whose turn it takes; `None` for the server.
    pub user: Option<UserId>,
    /// Not before this moment.
    pub run_at: Timestamp,
    /// The moment at which it is queued.
    pub now: Timestamp,
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
    /// The queue from which it was claimed.
    pub queue: Queue,
    /// The user whose turn it takes; `None` for the server.
    pub user: Option<UserId>,
    /// How many times it was claimed, this one included: the number by which its holder is known.
    pub claims: i64,
    /// How many times it failed.
    pub failures: i64,
    /// How many times its process ended while it was claimed.
    pub deaths: i64,
}

/// Puts a job in its queue. If the same one waits already, that stays with its time and nothing else happens. If it is
/// being run, it is run once more when it ends: the same job never runs twice at once, unless a lease is lost.
pub fn enqueue(tx: &mut WriteTx<'_>, job: &NewJob<'_>) -> StoreResult<()> {
    let row = (
        jobs::kind.eq(job.kind),
        jobs::payload.eq(job.payload),
        jobs::dedup_key.eq(Some(job.dedup_key)),
        jobs::queue.eq(job.queue.as_str()),
        jobs::user_id.eq(job.user.map(UserId::get)),
        jobs::run_at.eq(naive(job.run_at)),
        jobs::ready.eq(job.run_at <= job.now),
        jobs::created_at.eq(naive(job.now)),
    );
    let queued =
        on_each!(tx.conn, c => diesel::insert_into(jobs::table).values(row).on_conflict_do_nothing().execute(c))?;
    if queued > 0 {
        tx.queued(job.queue);
        return Ok(());
    }
    let run_at = naive(job.run_at);
    diesel::update(
        jobs::table
            .filter(jobs::dedup_key.eq(job.dedup_key))
            .filter(diesel::dsl::not(jobs::dead))
            .filter(jobs::lease_until.is_not_null())
            .filter(jobs::again_at.is_null().or(jobs::again_at.gt(run_at))),
    )
    .set(jobs::again_at.eq(run_at))
    .execute(tx.conn)?;
    Ok(())
}

/// Has a job that waits for a later moment run from `now` on. Nothing happens if it is not there, or is being run.
pub fn hasten(tx: &mut WriteTx<'_>, queue: Queue, dedup_key: &str, now: Timestamp) -> StoreResult<()> {
    let waiting = jobs::table
        .filter(jobs::dedup_key.eq(dedup_key))
        .filter(diesel::dsl::not(jobs::dead))
        .filter(jobs::lease_until.is_null())
        .filter(jobs::run_at.gt(naive(now)));
    let changed = diesel::update(waiting).set((jobs::run_at.eq(naive(now)), jobs::ready.eq(true))).execute(tx.conn)?;
    if changed > 0 {
        tx.queued(queue);
    }
    Ok(())
}

/// Which jobs a runner asks for.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// From this queue.
    pub queue: Queue,
    /// So many at most.
    pub limit: i64,
    /// How many jobs of one user may be claimed at once; `None` for any number. With it, one job is claimed at a time.
    pub per_user: Option<i64>,
    /// The user of whom the runner began a job last: the next user comes first.
    pub after: Option<UserId>,
    /// The moment of the claim.
    pub now: Timestamp,
}

/// Claims jobs of a queue until `lease_until`; other runners pass over them until then. Users take turns: each has one job
/// claimed before any has a second one. Of one user, those that have been due for the longest come first.
pub fn claim(tx: &mut WriteTx<'_>, asked: &Claim, lease_until: Timestamp) -> StoreResult<Vec<Job>> {
    ready::promote(tx, asked.queue, naive(asked.now))?;
    let chosen = ready::choose(tx, asked)?;
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<i64> = chosen.iter().map(|job| job.id).collect();
    let mut rows: Vec<ClaimedRow> =
        // Another runner may have claimed them since they were read.
        diesel::update(jobs::table.filter(jobs::id.eq_any(ids)).filter(jobs::ready))
            .set((
                jobs::ready.eq(false),
                jobs::lease_until.eq(naive(lease_until)),
                jobs::claims.eq(jobs::claims + 1),
                jobs::again_at.eq(None::<NaiveDateTime>),
            ))
            .returning((
                jobs::id,
                jobs::kind,
                jobs::payload,
                jobs::user_id,
                jobs::claims,
                jobs::failures,
                jobs::deaths,
            ))
            .get_results(tx.conn)?;
    // The statement returns them in any order.
    let place = |id: i64| chosen.iter().position(|job| job.id == id);
    rows.sort_by_key(|row| place(row.id));
    Ok(rows.into_iter().map(|row| row.into_job(asked.queue)).collect())
}

#[derive(Queryable)]
struct ClaimedRow {
    id: i64,
    kind: String,
    payload: String,
    user_id: Option<i64>,
    claims: i64,
    failures: i64,
    deaths: i64,
}

impl ClaimedRow {
    fn into_job(self, queue: Queue) -> Job {
        let Self { id, kind, payload, user_id, claims, failures, deaths } = self;
        let (id, user) = (JobId::new(id), user_id.map(UserId::new));
        Job { id, kind, payload, queue, user, claims, failures, deaths }
    }
}

/// True if there is a job that [`claim`] would return, or may return once it has made due jobs ready. If the queue has
/// neither, one statement finds that out.
pub fn is_due(tx: &mut ReadTx<'_>, asked: &Claim) -> StoreResult<bool> {
    let now = naive(asked.now);
    if !ready::any(tx, asked.queue, now)? {
        return Ok(false);
    }
    if asked.per_user.is_none() {
        return Ok(true);
    }
    // Ready jobs do not count if their users have as many running as they may.
    let one = Claim { limit: 1, ..*asked };
    Ok(!ready::choose(tx, &one)?.is_empty() || ready::any_to_promote(tx, asked.queue, now)?)
}

/// The row of a job, as long as the runner that claimed it holds it.
macro_rules! held {
    ($job:expr) => {
        jobs::table
            .find($job.id.get())
            .filter(jobs::claims.eq($job.claims))
            .filter(jobs::lease_until.is_not_null())
            .filter(diesel::dsl::not(jobs::dead))
    };
}

/// Ends all leases, so that their jobs can be claimed at once; returns how many there were. For the start of a process that is
/// alone: of a process that still works, jobs would be run twice.
pub fn end_leases(tx: &mut WriteTx<'_>) -> StoreResult<usize> {
    let leased = jobs::table.filter(jobs::lease_until.is_not_null()).filter(diesel::dsl::not(jobs::dead));
    Ok(diesel::update(leased)
        .set((jobs::ready.eq(true), jobs::lease_until.eq(None::<NaiveDateTime>), jobs::deaths.eq(jobs::deaths + 1)))
        .execute(tx.conn)?)
}

/// Extends a running job's lease.
pub fn renew(tx: &mut WriteTx<'_>, job: &Job, lease_until: Timestamp) -> StoreResult<bool> {
    Ok(diesel::update(held!(job)).set(jobs::lease_until.eq(naive(lease_until))).execute(tx.conn)? > 0)
}

/// Removes a finished job. If it was asked for while it ran, gives it back as a new one.
pub fn finish(tx: &mut WriteTx<'_>, job: &Job) -> StoreResult<bool> {
    let removed = diesel::delete(held!(job).filter(jobs::again_at.is_null())).execute(tx.conn)? > 0;
    Ok(removed || renew_request(tx, job)?)
}

/// Gives a job back that was asked for while it ran, as if it had not been tried; `false` if it was not.
fn renew_request(tx: &mut WriteTx<'_>, job: &Job) -> StoreResult<bool> {
    let changed = diesel::update(held!(job).filter(jobs::again_at.is_not_null()))
        .set((
            jobs::run_at.eq(jobs::again_at.assume_not_null()),
            jobs::lease_until.eq(None::<NaiveDateTime>),
            jobs::failures.eq(0),
            jobs::deaths.eq(0),
            jobs::last_error.eq(None::<String>),
        ))
        .execute(tx.conn)?;
    if changed > 0 {
        tx.queued(job.queue);
    }
    Ok(changed > 0)
}

/// Gives a failed job back to be run at `run_at`, as [`postpone`] does, and counts the failure.
pub fn retry(tx: &mut WriteTx<'_>, job: &Job, run_at: Timestamp, error: &str) -> StoreResult<bool> {
    let failure = (jobs::failures.eq(jobs::failures + 1), jobs::last_error.eq(error));
    diesel::update(held!(job)).set(failure).execute(tx.conn)?;
    postpone(tx, job, run_at)
}

/// Gives a job back that could not be run now, to be run at `run_at`: that is no failure. One that was asked for since it was
/// claimed comes back for that.
pub fn postpone(tx: &mut WriteTx<'_>, job: &Job, run_at: Timestamp) -> StoreResult<bool> {
    if renew_request(tx, job)? {
        return Ok(true);
    }
    let changed = diesel::update(held!(job))
        .set((jobs::run_at.eq(naive(run_at)), jobs::lease_until.eq(None::<NaiveDateTime>)))
        .execute(tx.conn)?;
    Ok(changed > 0)
}

/// Gives a job back that was claimed and not begun. It is ready at once, at its place among the jobs of its user.
pub fn release(tx: &mut WriteTx<'_>, job: &Job) -> StoreResult<bool> {
    let changed = diesel::update(held!(job))
        .set((jobs::ready.eq(true), jobs::lease_until.eq(None::<NaiveDateTime>)))
        .execute(tx.conn)?;
    if changed > 0 {
        tx.queued(job.queue);
    }
    Ok(changed > 0)
}

/// The outcome for a job that was to be given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Burial {
    /// It is given up.
    Buried,
    /// It was asked for since it was claimed, and waits as a new one.
    BegunAnew,
    /// Another runner holds it.
    Lost,
}

/// Gives a job up that has failed, or taken its process down, for the last time. `failures` is the count to be stored, and
/// `error` says what happened.
pub fn bury(tx: &mut WriteTx<'_>, job: &Job, failures: i64, error: &str) -> StoreResult<Burial> {
    if renew_request(tx, job)? {
        return Ok(Burial::BegunAnew);
    }
    let changed = diesel::update(held!(job))
        .set((
            jobs::dead.eq(true),
            jobs::lease_until.eq(None::<NaiveDateTime>),
            jobs::failures.eq(failures),
            jobs::last_error.eq(error),
        ))
        .execute(tx.conn)?;
    Ok(if changed > 0 { Burial::Buried } else { Burial::Lost })
}

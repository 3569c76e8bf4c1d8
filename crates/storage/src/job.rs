//! The queue. A job is claimed by a lease that ends by itself, so that a crash gives the job back.

use diesel::prelude::*;
use tenon_domain::id::JobId;
use tenon_domain::time::Timestamp;

use crate::connection::on_each;
use crate::dialect;
use crate::error::StoreResult;
use crate::row::naive;
use crate::schema::jobs;
use crate::unit_of_work::{ReadTx, WriteTx};

/// A claimed job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// Which handler it is for.
    pub kind: String,
    /// The handler's argument.
    pub payload: String,
    /// How many times it was claimed, this one included.
    pub attempts: i64,
}

/// Puts a job in the queue. Where one with the same `dedup_key` waits already, nothing happens.
pub fn enqueue(
    tx: &mut WriteTx<'_>,
    kind: &str,
    payload: &str,
    dedup_key: Option<&str>,
    at: Timestamp,
) -> StoreResult<()> {
    let row = (
        jobs::kind.eq(kind),
        jobs::payload.eq(payload),
        jobs::dedup_key.eq(dedup_key),
        jobs::run_at.eq(naive(at)),
        jobs::created_at.eq(naive(at)),
    );
    on_each!(tx.conn, c => diesel::insert_into(jobs::table).values(row).on_conflict_do_nothing().execute(c))?;
    Ok(())
}

/// Which kinds of jobs a runner takes.
#[derive(Debug, Clone, Copy)]
pub enum Kinds<'a> {
    /// Only these.
    Only(&'a [&'a str]),
    /// All but these.
    AllBut(&'a [&'a str]),
}

/// Claims the next due job of these kinds until `lease_until`; other runners pass over it until then.
pub fn claim(
    tx: &mut WriteTx<'_>,
    kinds: Kinds<'_>,
    now: Timestamp,
    lease_until: Timestamp,
) -> StoreResult<Option<Job>> {
    let Some(id) = dialect::lock_due_job(tx.conn, kinds, naive(now))? else { return Ok(None) };
    let (kind, payload, attempts) = diesel::update(jobs::table.find(id))
        .set((jobs::lease_until.eq(naive(lease_until)), jobs::attempts.eq(jobs::attempts + 1)))
        .returning((jobs::kind, jobs::payload, jobs::attempts))
        .get_result(tx.conn)?;
    Ok(Some(Job { id: JobId::new(id), kind, payload, attempts }))
}

/// Extends a running job's lease.
pub fn renew(tx: &mut WriteTx<'_>, id: JobId, lease_until: Timestamp) -> StoreResult<()> {
    diesel::update(jobs::table.find(id.get())).set(jobs::lease_until.eq(naive(lease_until))).execute(tx.conn)?;
    Ok(())
}

/// Removes a finished job.
pub fn finish(tx: &mut WriteTx<'_>, id: JobId) -> StoreResult<()> {
    diesel::delete(jobs::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}

/// Gives a failed job back to be run at `run_at`.
pub fn retry(tx: &mut WriteTx<'_>, id: JobId, run_at: Timestamp, error: &str) -> StoreResult<()> {
    diesel::update(jobs::table.find(id.get()))
        .set((
            jobs::run_at.eq(naive(run_at)),
            jobs::lease_until.eq(None::<chrono::NaiveDateTime>),
            jobs::last_error.eq(error),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Parks a job that has failed for the last time.
pub fn bury(tx: &mut WriteTx<'_>, id: JobId, error: &str) -> StoreResult<()> {
    diesel::update(jobs::table.find(id.get()))
        .set((jobs::dead.eq(true), jobs::last_error.eq(error)))
        .execute(tx.conn)?;
    Ok(())
}

/// How many jobs wait, and how many are parked.
pub fn counts(tx: &mut ReadTx<'_>) -> StoreResult<(i64, i64)> {
    let waiting = jobs::table.filter(jobs::dead.eq(false)).count().get_result(tx.conn)?;
    let dead = jobs::table.filter(jobs::dead.eq(true)).count().get_result(tx.conn)?;
    Ok((waiting, dead))
}

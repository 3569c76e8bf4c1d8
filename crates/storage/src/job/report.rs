//! The jobs that wait in the queues and those that were given up, for administrators.

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{JobId, UserId};
use tenon_domain::time::Timestamp;

use super::Queue;
use crate::db::row::{parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::jobs;

/// How many jobs of one queue are in which state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueState {
    /// The queue.
    pub queue: Queue,
    /// Jobs that may be run now.
    pub ready: i64,
    /// Jobs that wait for their time.
    pub scheduled: i64,
    /// Jobs that are claimed.
    pub claimed: i64,
    /// Jobs that were given up.
    pub dead: i64,
}

/// A job that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadJob {
    /// Its id.
    pub id: JobId,
    /// Which handler it is for.
    pub kind: String,
    /// The handler's argument.
    pub payload: String,
    /// The user whose turn it took; `None` for the server.
    pub user: Option<UserId>,
    /// How many times it failed.
    pub failures: i64,
    /// How many times its process ended while it was claimed.
    pub deaths: i64,
    /// Why it was given up.
    pub error: Option<String>,
    /// When it was queued.
    pub created_at: Timestamp,
}

/// True if jobs of any of these kinds wait or run.
pub fn any_waiting(tx: &mut ReadTx<'_>, kinds: &[&str]) -> StoreResult<bool> {
    let waiting = jobs::table.filter(jobs::kind.eq_any(kinds.to_vec()).and(jobs::dead.eq(false)));
    Ok(diesel::select(diesel::dsl::exists(waiting)).get_result(tx.conn)?)
}

/// The arguments of all jobs of these kinds, also of those that were given up.
pub fn payloads(tx: &mut ReadTx<'_>, kinds: &[&str]) -> StoreResult<Vec<String>> {
    Ok(jobs::table.filter(jobs::kind.eq_any(kinds.to_vec())).select(jobs::payload).load(tx.conn)?)
}

/// How many jobs wait, those at hand included, and how many were given up.
pub fn counts(tx: &mut ReadTx<'_>) -> StoreResult<(i64, i64)> {
    let waiting = jobs::table.filter(jobs::dead.eq(false)).count().get_result(tx.conn)?;
    let dead = jobs::table.filter(jobs::dead.eq(true)).count().get_result(tx.conn)?;
    Ok((waiting, dead))
}

/// The state of every queue.
pub fn states(tx: &mut ReadTx<'_>) -> StoreResult<Vec<QueueState>> {
    let mut states = Vec::new();
    for queue in Queue::ALL {
        let living = || jobs::table.filter(jobs::queue.eq(queue.as_str())).filter(diesel::dsl::not(jobs::dead));
        let waiting = || living().filter(jobs::lease_until.is_null());
        states.push(QueueState {
            queue,
            ready: waiting().filter(jobs::ready).count().get_result(tx.conn)?,
            scheduled: waiting().filter(diesel::dsl::not(jobs::ready)).count().get_result(tx.conn)?,
            claimed: living().filter(jobs::lease_until.is_not_null()).count().get_result(tx.conn)?,
            dead: jobs::table.filter(jobs::queue.eq(queue.as_str())).filter(jobs::dead).count().get_result(tx.conn)?,
        });
    }
    Ok(states)
}

/// The jobs that were given up, newest first, up to `limit`.
pub fn dead(tx: &mut ReadTx<'_>, limit: i64) -> StoreResult<Vec<DeadJob>> {
    type Row = (i64, String, String, Option<i64>, i64, i64, Option<String>, NaiveDateTime);
    let columns = (
        jobs::id,
        jobs::kind,
        jobs::payload,
        jobs::user_id,
        jobs::failures,
        jobs::deaths,
        jobs::last_error,
        jobs::created_at,
    );
    let found = jobs::table.filter(jobs::dead).order(jobs::id.desc()).limit(limit).select(columns);
    let rows: Vec<Row> = found.load(tx.conn)?;
    let dead = |(id, kind, payload, user, failures, deaths, error, created_at): Row| DeadJob {
        id: JobId::new(id),
        kind,
        payload,
        user: user.map(UserId::new),
        failures,
        deaths,
        error,
        created_at: utc(created_at),
    };
    Ok(rows.into_iter().map(dead).collect())
}

/// Makes a job that was given up ready once more, as if it had not been tried. If the same one waits by now, that takes its
/// place. `None` if no such job was given up, otherwise its queue.
pub fn revive(tx: &mut WriteTx<'_>, id: JobId) -> StoreResult<Option<Queue>> {
    type Row = (String, Option<String>);
    let found: Option<Row> = jobs::table
        .find(id.get())
        .filter(jobs::dead)
        .select((jobs::queue, jobs::dedup_key))
        .first(tx.conn)
        .optional()?;
    let Some((queue, key)) = found else { return Ok(None) };
    let queue =
        parsed("jobs", "queue", id.get(), &queue, |name| Queue::ALL.into_iter().find(|queue| queue.as_str() == name))?;
    let same: i64 = match &key {
        Some(key) => {
            let living = jobs::table.filter(jobs::dedup_key.eq(key)).filter(diesel::dsl::not(jobs::dead));
            living.count().get_result(tx.conn)?
        }
        None => 0,
    };
    if same > 0 {
        forget(tx, id)?;
        return Ok(Some(queue));
    }
    diesel::update(jobs::table.find(id.get()).filter(jobs::dead))
        .set((
            jobs::dead.eq(false),
            jobs::ready.eq(true),
            jobs::again_at.eq(None::<NaiveDateTime>),
            jobs::failures.eq(0),
            jobs::deaths.eq(0),
            jobs::last_error.eq(None::<String>),
        ))
        .execute(tx.conn)?;
    tx.queued(queue);
    Ok(Some(queue))
}

/// Removes a job that was given up; `false` if there is none of this id.
pub fn forget(tx: &mut WriteTx<'_>, id: JobId) -> StoreResult<bool> {
    Ok(diesel::delete(jobs::table.find(id.get()).filter(jobs::dead)).execute(tx.conn)? > 0)
}

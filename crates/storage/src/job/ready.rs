//! Which jobs are claimed next: users take turns.
//!
//! Jobs that may be claimed now are marked as ready, and the index of ready jobs is ordered by queue and user. A claim
//! walks from one user to the next and reads a few jobs of each, so that its cost depends on how many jobs it asks for,
//! and neither on how many wait nor on how many are scheduled for later.

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::UserId;

use super::{Claim, Queue};
use crate::db::row::naive;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::jobs;

/// The most jobs that become ready in one transaction, of those whose time has come and of those whose lease has ended each.
const PROMOTED: i64 = 256;

/// A job that may be claimed.
#[derive(Debug, Clone, Queryable)]
pub(super) struct Ready {
    pub(super) id: i64,
    pub(super) user: Option<i64>,
}

/// The scheduled jobs of a queue whose time has come by `now`, those due for the longest first.
macro_rules! due {
    ($queue:expr, $now:expr) => {
        jobs::table
            .filter(jobs::queue.eq($queue.as_str()))
            .filter(diesel::dsl::not(jobs::ready))
            .filter(diesel::dsl::not(jobs::dead))
            .filter(jobs::lease_until.is_null())
            .filter(jobs::run_at.le($now))
            .order((jobs::run_at, jobs::id))
            .select(jobs::id)
    };
}

/// The jobs of a queue whose lease ended before `now` without an answer.
macro_rules! expired {
    ($queue:expr, $now:expr) => {
        jobs::table
            .filter(jobs::queue.eq($queue.as_str()))
            .filter(jobs::lease_until.is_not_null())
            .filter(jobs::lease_until.lt($now))
            .order(jobs::lease_until)
            .select(jobs::id)
    };
}

/// The ready jobs of a queue, ordered as their index is.
macro_rules! ready {
    ($queue:expr) => {
        jobs::table
            .filter(jobs::ready)
            .filter(jobs::queue.eq($queue.as_str()))
            .order((jobs::user_id, jobs::run_at, jobs::id))
            .select((jobs::id, jobs::user_id))
    };
}

/// True if there is such a job. PostgreSQL ignores the order of a query in `EXISTS`, and then reads the whole table if
/// it expects many rows. Here the order holds it to the index.
macro_rules! is_any {
    ($jobs:expr) => {
        $jobs.select(jobs::id).single_value().is_not_null()
    };
}

/// Makes jobs ready whose time has come, and those whose process died: their leases have ended.
pub(super) fn promote(tx: &mut WriteTx<'_>, queue: Queue, now: NaiveDateTime) -> StoreResult<()> {
    let due: Vec<i64> = due!(queue, now).limit(PROMOTED).load(tx.conn)?;
    if !due.is_empty() {
        diesel::update(jobs::table.filter(jobs::id.eq_any(due))).set(jobs::ready.eq(true)).execute(tx.conn)?;
    }
    let expired: Vec<i64> = expired!(queue, now).limit(PROMOTED).load(tx.conn)?;
    if !expired.is_empty() {
        diesel::update(jobs::table.filter(jobs::id.eq_any(expired)))
            .set((jobs::ready.eq(true), jobs::lease_until.eq(None::<NaiveDateTime>), jobs::deaths.eq(jobs::deaths + 1)))
            .execute(tx.conn)?;
    }
    Ok(())
}

/// True if a queue has a job that is ready, or that [`promote`] would make ready.
pub(super) fn any(tx: &mut ReadTx<'_>, queue: Queue, now: NaiveDateTime) -> StoreResult<bool> {
    let to_promote = is_any!(due!(queue, now)).or(is_any!(expired!(queue, now)));
    Ok(diesel::select(is_any!(ready!(queue)).or(to_promote)).get_result(tx.conn)?)
}

/// True if [`promote`] would find a job.
pub(super) fn any_to_promote(tx: &mut ReadTx<'_>, queue: Queue, now: NaiveDateTime) -> StoreResult<bool> {
    Ok(diesel::select(is_any!(due!(queue, now)).or(is_any!(expired!(queue, now)))).get_result(tx.conn)?)
}

/// The jobs to be claimed: one of each user in turn, beginning after [`Claim::after`], until there are as many as asked for.
/// The server counts as one more user, which comes last.
pub(super) fn choose(tx: &mut ReadTx<'_>, asked: &Claim) -> StoreResult<Vec<Ready>> {
    let limit = if asked.per_user.is_some() { asked.limit.min(1) } else { asked.limit };
    let mut found = Found { clients: Vec::new(), limit: usize::try_from(limit).unwrap_or(0), passing: Vec::new() };
    found.passing = passed_over(tx, asked)?;
    let start = asked.after.map_or(0, UserId::get);
    of_users(tx, asked.queue, &mut found, start, i64::MAX)?;
    if !found.is_full() {
        found.add(ready!(asked.queue).filter(jobs::user_id.is_null()).limit(limit).load(tx.conn)?);
    }
    if start > 0 && !found.is_full() {
        of_users(tx, asked.queue, &mut found, 0, start)?;
    }
    Ok(in_turns(&found.clients, found.limit))
}

/// The ready jobs of users, each list those of one user.
struct Found {
    clients: Vec<Vec<Ready>>,
    limit: usize,
    passing: Vec<i64>,
}

impl Found {
    fn is_full(&self) -> bool {
        self.clients.len() >= self.limit
    }

    fn add(&mut self, jobs: Vec<Ready>) {
        if !jobs.is_empty() {
            self.clients.push(jobs);
        }
    }
}

/// Adds jobs of the users whose ids come after `after`, up to and including `last`. Each page reads as many jobs as the claim
/// asks for; after a full one, the jobs of its last user are passed over at once.
fn of_users(tx: &mut ReadTx<'_>, queue: Queue, found: &mut Found, mut after: i64, last: i64) -> StoreResult<()> {
    let limit = i64::try_from(found.limit).unwrap_or(i64::MAX);
    while !found.is_full() {
        let page: Vec<Ready> =
            ready!(queue).filter(jobs::user_id.gt(after)).filter(jobs::user_id.le(last)).limit(limit).load(tx.conn)?;
        let is_last_page = page.len() < found.limit;
        for of_one in page.chunk_by(|one, next| one.user == next.user) {
            let Some(user) = of_one.first().and_then(|job| job.user) else { continue };
            after = user;
            if !found.passing.contains(&user) {
                found.add(of_one.to_vec());
            }
        }
        if is_last_page {
            break;
        }
    }
    Ok(())
}

/// The users whose jobs are not claimed now, because they have as many running as they may.
fn passed_over(tx: &mut ReadTx<'_>, asked: &Claim) -> StoreResult<Vec<i64>> {
    let Some(limit) = asked.per_user else { return Ok(Vec::new()) };
    let running: Vec<Option<i64>> = jobs::table
        .filter(jobs::queue.eq(asked.queue.as_str()))
        .filter(jobs::lease_until.ge(naive(asked.now)))
        .filter(jobs::lease_until.is_not_null())
        .filter(jobs::user_id.is_not_null())
        .select(jobs::user_id)
        .load(tx.conn)?;
    let mut passing: Vec<i64> = Vec::new();
    for user in running.iter().flatten() {
        let count = running.iter().flatten().filter(|other| *other == user).count();
        if i64::try_from(count).is_ok_and(|count| count >= limit) && !passing.contains(user) {
            passing.push(*user);
        }
    }
    Ok(passing)
}

/// The first job of each list, then the second of each, and so on, up to `limit`.
fn in_turns(clients: &[Vec<Ready>], limit: usize) -> Vec<Ready> {
    (0..limit).flat_map(|round| clients.iter().filter_map(move |jobs| jobs.get(round))).take(limit).cloned().collect()
}

//! How many members of a list are open and closed.

use diesel::expression::is_aggregate;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::milestone::Lifetime;

use super::filter::{IssuableFilter, StateFilter};
use super::list::{Plan, filtered, known_total};
use super::lookup::look_up;
use super::search::Lookup;
use crate::db::row::{Moment, utc};
use crate::db::static_sql::{StaticSql, static_sql};
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::schema::issuables;

/// How many there are in each state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StateCounts {
    /// In whichever state.
    pub all: i64,
    /// Closed.
    pub closed: i64,
    /// Opened.
    pub opened: i64,
}

/// Counts what matches `filter`, whose state does not matter, by state.
pub fn count_by_state(tx: &mut ReadTx<'_>, filter: &IssuableFilter) -> StoreResult<StateCounts> {
    let of_state = |state| IssuableFilter { state, ..filter.clone() };
    let all = of_state(None);
    if all.visible.is_empty() {
        return Ok(StateCounts::default());
    }
    let lookups = look_up(tx, &all)?;
    if matches!(&lookups.words, Lookup::Few { ids, .. } if ids.is_empty()) {
        return Ok(StateCounts::default());
    }
    let opened = of_state(Some(StateFilter::Opened));
    let closed = of_state(Some(StateFilter::Closed));
    // Issues are open or closed; of merge requests there are more states.
    let has_two_states = all.visible.kind() == IssuableKind::Issue;
    let known = match (known_total(tx, &opened, &lookups)?, known_total(tx, &closed, &lookups)?) {
        (Some(opened), Some(closed)) if has_two_states => Some(StateCounts { all: opened + closed, closed, opened }),
        (Some(opened), Some(closed)) => known_total(tx, &all, &lookups)?.map(|all| StateCounts { all, closed, opened }),
        (None, _) | (_, None) => None,
    };
    if let Some(known) = known {
        return Ok(known);
    }
    let counts = filtered(&all, &lookups, Plan::BySet).select((
        diesel::dsl::count_star(),
        sum("CAST(SUM(CASE WHEN issuables.state = 'closed' THEN 1 ELSE 0 END) AS BIGINT)"),
        sum("CAST(SUM(CASE WHEN issuables.state = 'opened' THEN 1 ELSE 0 END) AS BIGINT)"),
    ));
    let (all, closed, opened): (i64, Option<i64>, Option<i64>) = counts.first(tx.conn)?;
    Ok(StateCounts { all, closed: closed.unwrap_or(0), opened: opened.unwrap_or(0) })
}

/// How many opened ones match `filter`, whose state does not matter, in projects that are not archived.
pub fn count_waiting(tx: &mut ReadTx<'_>, filter: &IssuableFilter) -> StoreResult<i64> {
    let opened = IssuableFilter { state: Some(StateFilter::Opened), without_archived: true, ..filter.clone() };
    if opened.visible.is_empty() {
        return Ok(0);
    }
    let lookups = look_up(tx, &opened)?;
    Ok(filtered(&opened, &lookups, Plan::BySet).count().get_result(tx.conn)?)
}

/// When each of what matches `filter` was opened, and when it was closed unless it is open. The newest `most` count.
pub fn lifetimes(tx: &mut ReadTx<'_>, filter: &IssuableFilter, most: i64) -> StoreResult<Vec<Lifetime>> {
    if filter.visible.is_empty() {
        return Ok(Vec::new());
    }
    let lookups = look_up(tx, filter)?;
    let rows: Vec<(Moment, Option<Moment>)> = filtered(filter, &lookups, Plan::BySet)
        .order(issuables::id.desc())
        .limit(most)
        .select((issuables::created_at, issuables::closed_at))
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|(opened, closed)| (utc(opened), closed.map(utc))).collect())
}

/// A sum, which is NULL of no rows.
const fn sum(text: &'static str) -> StaticSql<Nullable<BigInt>, is_aggregate::Yes> {
    static_sql(text)
}

//! How many members of a list are open and closed.

use diesel::expression::is_aggregate;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};

use super::filter::{IssuableFilter, StateFilter};
use super::list::{Way, filtered, known_total};
use super::resolved::resolve;
use super::search::Lookup;
use crate::error::StoreResult;
use crate::fixed_sql::{FixedSql, fixed_sql};
use crate::unit_of_work::ReadTx;

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
    if all.reach.is_empty() {
        return Ok(StateCounts::default());
    }
    let resolved = resolve(tx, &all)?;
    if matches!(&resolved.words, Lookup::Few { ids, .. } if ids.is_empty()) {
        return Ok(StateCounts::default());
    }
    let opened = of_state(Some(StateFilter::Opened));
    let closed = of_state(Some(StateFilter::Closed));
    let known = match known_total(tx, &opened, &resolved)? {
        Some(opened) => match known_total(tx, &closed, &resolved)? {
            Some(closed) => known_total(tx, &all, &resolved)?.map(|all| StateCounts { all, closed, opened }),
            None => None,
        },
        None => None,
    };
    if let Some(known) = known {
        return Ok(known);
    }
    let counts = filtered(&all, &resolved, Way::Gathering).select((
        diesel::dsl::count_star(),
        sum("CAST(SUM(CASE WHEN issuables.state = 'closed' THEN 1 ELSE 0 END) AS BIGINT)"),
        sum("CAST(SUM(CASE WHEN issuables.state = 'opened' THEN 1 ELSE 0 END) AS BIGINT)"),
    ));
    let (all, closed, opened): (i64, Option<i64>, Option<i64>) = counts.first(tx.conn)?;
    Ok(StateCounts { all, closed: closed.unwrap_or(0), opened: opened.unwrap_or(0) })
}

/// A sum, which is NULL of no rows.
const fn sum(text: &'static str) -> FixedSql<Nullable<BigInt>, is_aggregate::Yes> {
    fixed_sql(text)
}

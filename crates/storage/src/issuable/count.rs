//! Totals of issues.

use std::collections::HashMap;

use diesel::expression::is_aggregate;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable};
use tenon_domain::id::LabelId;

use super::filter::IssuableFilter;
use super::reach::IssuableReach;
use crate::any_of::any_of;
use crate::connection::Backend;
use crate::error::StoreResult;
use crate::fixed_sql::fixed_sql;
use crate::schema::{issuable_assignees, issuable_counts, issuable_labels, issuables};
use crate::unit_of_work::ReadTx;

/// The total of a list that only state and confidentiality narrow, from counters: no list is too long to be counted.
pub(super) fn counted(tx: &mut ReadTx<'_>, filter: &IssuableFilter) -> StoreResult<i64> {
    let (everywhere, trusted) = filter.reach.for_counts();
    let mut query =
        issuable_counts::table.filter(issuable_counts::kind.eq(filter.reach.kind().as_str())).into_boxed::<Backend>();
    if let Some(place) = everywhere {
        query = query.filter(place);
    }
    if let Some(trusted) = trusted {
        query = match filter.confidential {
            _ if !filter.reach.is_open_by_default() => query.filter(trusted),
            Some(false) => query,
            Some(true) => query.filter(trusted),
            None => query.filter(issuable_counts::confidential.eq(false).or(trusted)),
        };
    }
    if let Some(state) = filter.state {
        query = query.filter(issuable_counts::state.eq(state.as_str()));
    }
    if let Some(confidential) = filter.confidential {
        query = query.filter(issuable_counts::confidential.eq(confidential));
    }
    // A sum of BIGINT is NUMERIC on PostgreSQL; these sums are far from needing that.
    let sum = fixed_sql::<Nullable<BigInt>, is_aggregate::Yes>("CAST(SUM(issuable_counts.count) AS BIGINT)");
    let total: Option<i64> = query.select(sum).first(tx.conn)?;
    let own = if filter.confidential == Some(false) { 0 } else { own_apart(tx, filter)? };
    Ok(total.unwrap_or(0) + own)
}

/// How many are open to the viewer only because they are the viewer's own.
fn own_apart(tx: &mut ReadTx<'_>, filter: &IssuableFilter) -> StoreResult<i64> {
    let Some(own) = filter.reach.own_apart() else { return Ok(0) };
    let query = issuables::table
        .filter(issuables::kind.eq(filter.reach.kind().as_str()))
        .filter(issuables::deleted_at.is_null());
    let mut query = query
        .group_by(issuables::project_id)
        .select((issuables::project_id, diesel::dsl::count_star()))
        .into_boxed::<Backend>()
        .filter(own);
    if let Some(state) = filter.state {
        query = query.filter(issuables::state.eq(state.as_str()));
    }
    let counts: Vec<(i64, i64)> = query.load(tx.conn)?;
    Ok(counts.iter().filter(|(project, _)| filter.reach.sees_only_own_in(*project)).map(|(_, count)| count).sum())
}

diesel::allow_columns_to_appear_in_same_group_by_clause!(issuable_labels::label_id, issuables::state);

/// How many within `reach` carry each of these labels: open ones, and others.
pub fn count_by_labels(
    tx: &mut ReadTx<'_>,
    reach: &IssuableReach,
    label_ids: &[LabelId],
) -> StoreResult<HashMap<LabelId, (i64, i64)>> {
    let mut found: HashMap<LabelId, (i64, i64)> = HashMap::new();
    if label_ids.is_empty() || reach.is_empty() {
        return Ok(found);
    }
    let (projects, trusted, own) = reach.lists();
    let project_is_in = |ids: &[i64]| any_of(issuables::project_id, ids, std::convert::identity);
    let assigned =
        issuable_assignees::table.filter(issuable_assignees::user_id.eq(own)).select(issuable_assignees::issuable_id);
    let permitted = issuables::confidential
        .eq(false)
        .and(reach.is_open_by_default().into_sql::<Bool>())
        .or(project_is_in(trusted))
        .or(issuables::author_id.eq(own))
        .or(issuables::id.eq_any(assigned));
    let rows: Vec<(i64, String, i64)> = issuables::table
        .inner_join(issuable_labels::table.on(issuable_labels::issuable_id.eq(issuables::id)))
        .filter(any_of(issuable_labels::label_id, label_ids, LabelId::get))
        .filter(issuables::kind.eq(reach.kind().as_str()))
        .filter(issuables::deleted_at.is_null())
        .filter(project_is_in(projects))
        .filter(permitted)
        .group_by((issuable_labels::label_id, issuables::state))
        .select((issuable_labels::label_id, issuables::state, diesel::dsl::count_star()))
        .load(tx.conn)?;
    for (label, state, count) in rows {
        let (opened, others) = found.entry(LabelId::new(label)).or_default();
        *if state == "opened" { opened } else { others } += count;
    }
    Ok(found)
}

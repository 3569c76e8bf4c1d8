//! Totals of issues.

use std::collections::HashMap;

use diesel::dsl::exists;
use diesel::expression::is_aggregate;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};
use tenon_domain::id::{LabelId, MilestoneId};

use super::filter::{IssuableFilter, StateFilter};
use crate::db::connection::Backend;
use crate::db::expressions::{in_ids, in_subquery};
use crate::db::static_sql::static_sql;
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::schema::{issuable_counts, issuable_labels, issuables, label_counts, labels};
use crate::visibility::issuables::VisibleIssuables;

/// The counter that keeps the total of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counter<'a> {
    /// How many there are.
    All,
    /// How many carry this label.
    Label(i64),
    /// How many carry a label of this name.
    Name(&'a str),
}

/// The counters in `$table` that a viewer sees and a filter means.
macro_rules! counters {
    ($table:ident, $visible:expr, $places:expr, $state:expr, $confidential:expr) => {{
        let (in_projects, full) = $places;
        let mut query = $table::table.filter($table::kind.eq($visible.kind().as_str())).into_boxed::<Backend>();
        if let Some(place) = in_projects {
            query = query.filter(place);
        }
        if let Some(full) = full {
            query = match $confidential {
                _ if !$visible.is_open_by_default() => query.filter(full),
                Some(false) => query,
                Some(true) => query.filter(full),
                None => query.filter($table::confidential.eq(false).or(full)),
            };
        }
        if let Some(state) = $state {
            query = query.filter($table::state.eq(state));
        }
        if let Some(confidential) = $confidential {
            query = query.filter($table::confidential.eq(confidential));
        }
        query
    }};
}

/// The total of a list that only state, confidentiality and perhaps a label narrow: no list is too long to be counted.
/// `None` if labels of the same name are both used in a project: rows with both are not to be counted twice.
pub(super) fn counted(tx: &mut ReadTx<'_>, filter: &IssuableFilter, counter: Counter<'_>) -> StoreResult<Option<i64>> {
    let (visible, state) = (&filter.visible, filter.state.map(StateFilter::as_str));
    // A sum of BIGINT is NUMERIC on PostgreSQL; these sums are far from needing that.
    let total: Option<i64> = match counter {
        Counter::All => counters!(issuable_counts, visible, visible.for_counts(), state, filter.confidential)
            .select(static_sql::<Nullable<BigInt>, is_aggregate::Yes>("CAST(SUM(issuable_counts.count) AS BIGINT)"))
            .first(tx.conn)?,
        Counter::Label(label) => {
            counters!(label_counts, visible, visible.for_label_counts(), state, filter.confidential)
                .filter(label_counts::label_id.eq(label))
                .select(static_sql::<Nullable<BigInt>, is_aggregate::Yes>("CAST(SUM(label_counts.count) AS BIGINT)"))
                .first(tx.conn)?
        }
        Counter::Name(name) => {
            let named = labels::table.filter(labels::name.eq(name)).select(labels::id);
            let counts: Vec<(i64, i64, i64)> =
                counters!(label_counts, visible, visible.for_label_counts(), state, filter.confidential)
                    .filter(in_subquery(label_counts::label_id, named))
                    .filter(label_counts::count.gt(0))
                    .select((label_counts::project_id, label_counts::label_id, label_counts::count))
                    .load(tx.conn)?;
            let mut used: HashMap<i64, i64> = HashMap::new();
            if counts.iter().any(|(project, label, _)| *used.entry(*project).or_insert(*label) != *label) {
                return Ok(None);
            }
            Some(counts.iter().map(|(_, _, count)| count).sum())
        }
    };
    let own = if filter.confidential == Some(false) { 0 } else { count_own_only(tx, filter, counter)? };
    Ok(Some(total.unwrap_or(0) + own))
}

/// How many the viewer may read only because they are their own.
fn count_own_only(tx: &mut ReadTx<'_>, filter: &IssuableFilter, counter: Counter<'_>) -> StoreResult<i64> {
    let Some(own) = filter.visible.own_only() else { return Ok(0) };
    let query = issuables::table
        .filter(issuables::kind.eq(filter.visible.kind().as_str()))
        .filter(issuables::deleted_at.is_null());
    let mut query = query
        .group_by(issuables::project_id)
        .select((issuables::project_id, diesel::dsl::count_star()))
        .into_boxed::<Backend>()
        .filter(own);
    if let Some(state) = filter.state {
        query = query.filter(issuables::state.eq(state.as_str()));
    }
    let links = issuable_labels::table.filter(issuable_labels::issuable_id.eq(issuables::id));
    query = match counter {
        Counter::All => query,
        Counter::Label(label) => query.filter(exists(links.filter(issuable_labels::label_id.eq(label)))),
        Counter::Name(name) => {
            let label = labels::table.filter(labels::id.eq(issuable_labels::label_id)).filter(labels::name.eq(name));
            query.filter(exists(links.filter(exists(label))))
        }
    };
    let counts: Vec<(i64, i64)> = query.load(tx.conn)?;
    Ok(counts.iter().filter(|(project, _)| filter.visible.reads_only_own_in(*project)).map(|(_, count)| count).sum())
}

/// How many within `visible` belong to each of these milestones: open ones, and others.
pub fn count_by_milestones(
    tx: &mut ReadTx<'_>,
    visible: &VisibleIssuables,
    milestones: &[MilestoneId],
) -> StoreResult<HashMap<MilestoneId, (i64, i64)>> {
    let mut found: HashMap<MilestoneId, (i64, i64)> = HashMap::new();
    if milestones.is_empty() || visible.is_empty() {
        return Ok(found);
    }
    let query = issuables::table
        .filter(issuables::kind.eq(visible.kind().as_str()))
        .filter(issuables::deleted_at.is_null())
        .filter(in_ids(issuables::milestone_id.assume_not_null(), milestones, MilestoneId::get));
    let mut query = query
        .group_by((issuables::milestone_id, issuables::state))
        .select((issuables::milestone_id, issuables::state, diesel::dsl::count_star()))
        .into_boxed::<Backend>();
    for condition in [visible.in_projects_by_row(), visible.readable()].into_iter().flatten() {
        query = query.filter(condition);
    }
    let rows: Vec<(Option<i64>, String, i64)> = query.load(tx.conn)?;
    for (milestone, state, count) in rows {
        let Some(milestone) = milestone else { continue };
        let (opened, others) = found.entry(MilestoneId::new(milestone)).or_default();
        *if state == "opened" { opened } else { others } += count;
    }
    Ok(found)
}

/// How many within `visible` carry each of these labels: open ones, and others.
pub fn count_by_labels(
    tx: &mut ReadTx<'_>,
    visible: &VisibleIssuables,
    label_ids: &[LabelId],
) -> StoreResult<HashMap<LabelId, (i64, i64)>> {
    let mut found: HashMap<LabelId, (i64, i64)> = HashMap::new();
    if label_ids.is_empty() || visible.is_empty() {
        return Ok(found);
    }
    let mut add = |label: i64, state: &str, count: i64| {
        let (opened, others) = found.entry(LabelId::new(label)).or_default();
        *if state == "opened" { opened } else { others } += count;
    };
    let rows: Vec<(i64, String, i64)> =
        counters!(label_counts, visible, visible.for_label_counts(), None::<&str>, None::<bool>)
            .filter(in_ids(label_counts::label_id, label_ids, LabelId::get))
            .select((label_counts::label_id, label_counts::state, label_counts::count))
            .load(tx.conn)?;
    for (label, state, count) in rows {
        add(label, &state, count);
    }
    let Some(own) = visible.own_only() else { return Ok(found) };
    let links = || issuable_labels::table.filter(in_ids(issuable_labels::label_id, label_ids, LabelId::get));
    let own: Vec<(i64, i64, String)> = issuables::table
        .filter(issuables::kind.eq(visible.kind().as_str()))
        .filter(issuables::deleted_at.is_null())
        .filter(own)
        .filter(exists(links().filter(issuable_labels::issuable_id.eq(issuables::id))))
        .select((issuables::id, issuables::project_id, issuables::state))
        .load(tx.conn)?;
    let own: HashMap<i64, String> = own
        .into_iter()
        .filter(|(_, project, _)| visible.reads_only_own_in(*project))
        .map(|(id, _, state)| (id, state))
        .collect();
    let ids: Vec<i64> = own.keys().copied().collect();
    let carried: Vec<(i64, i64)> = links()
        .filter(in_ids(issuable_labels::issuable_id, &ids, std::convert::identity))
        .select((issuable_labels::label_id, issuable_labels::issuable_id))
        .load(tx.conn)?;
    for (label, id) in carried {
        add(label, own.get(&id).map_or("", String::as_str), 1);
    }
    Ok(found)
}

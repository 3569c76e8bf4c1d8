//! Which issues a merge request closes when it is merged.

use std::collections::HashMap;

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::access::Viewer;
use tenon_domain::id::{IssuableId, ProjectId};
use tenon_domain::issuable::IssuableKind;

use crate::any_of::any_of;
use crate::connection::on_each;
use crate::error::StoreResult;
use crate::issuable::{IssuableReach, IssuableSet, visible_of};
use crate::schema::{issuables, merge_request_closes};
use crate::unit_of_work::{ReadTx, WriteTx};

/// Replaces the issues that a merge request closes: those that its commits name, or those of title and description.
pub fn set_closes(tx: &mut WriteTx<'_>, of: IssuableId, by_commit: bool, issues: &[IssuableId]) -> StoreResult<()> {
    let known = merge_request_closes::table
        .filter(merge_request_closes::issuable_id.eq(of.get()))
        .filter(merge_request_closes::by_commit.eq(by_commit));
    diesel::delete(known).execute(tx.conn)?;
    let rows: Vec<_> = issues
        .iter()
        .map(|issue| {
            (
                merge_request_closes::issuable_id.eq(of.get()),
                merge_request_closes::issue_id.eq(issue.get()),
                merge_request_closes::by_commit.eq(by_commit),
            )
        })
        .collect();
    if !rows.is_empty() {
        on_each!(tx.conn, c => diesel::insert_into(merge_request_closes::table).values(&rows).execute(c))?;
    }
    Ok(())
}

/// The issues that a merge request closes, by id.
pub fn closes(tx: &mut ReadTx<'_>, of: IssuableId) -> StoreResult<Vec<IssuableId>> {
    let ids: Vec<i64> = merge_request_closes::table
        .inner_join(issuables::table.on(issuables::id.eq(merge_request_closes::issue_id)))
        .filter(merge_request_closes::issuable_id.eq(of.get()))
        .filter(issuables::deleted_at.is_null())
        .order(merge_request_closes::issue_id)
        .select(merge_request_closes::issue_id)
        .distinct()
        .load(tx.conn)?;
    Ok(ids.into_iter().map(IssuableId::new).collect())
}

/// The merge requests that close an issue when they are merged, or have, by id.
pub fn closed_by(tx: &mut ReadTx<'_>, issue: IssuableId) -> StoreResult<Vec<IssuableId>> {
    let ids: Vec<i64> = merge_request_closes::table
        .inner_join(issuables::table.on(issuables::id.eq(merge_request_closes::issuable_id)))
        .filter(merge_request_closes::issue_id.eq(issue.get()))
        .filter(issuables::deleted_at.is_null())
        .order(merge_request_closes::issuable_id)
        .select(merge_request_closes::issuable_id)
        .distinct()
        .load(tx.conn)?;
    Ok(ids.into_iter().map(IssuableId::new).collect())
}

/// How many of the merge requests that close each of these issues when they are merged, or have, `viewer` may see on this
/// day.
pub fn count_closing(
    tx: &mut ReadTx<'_>,
    issues: &[IssuableId],
    viewer: Viewer,
    today: NaiveDate,
) -> StoreResult<HashMap<IssuableId, i64>> {
    let closing: Vec<(i64, i64, i64)> = on_each!(tx.conn, c => merge_request_closes::table
        .inner_join(issuables::table.on(issuables::id.eq(merge_request_closes::issuable_id)))
        .filter(any_of(merge_request_closes::issue_id, issues, IssuableId::get))
        .select((merge_request_closes::issue_id, merge_request_closes::issuable_id, issuables::project_id))
        // Descriptions and commits may both say so.
        .distinct()
        .load(c))?;
    let mut counts = HashMap::new();
    if closing.is_empty() {
        return Ok(counts);
    }
    let projects: Vec<ProjectId> = closing.iter().map(|(_, _, project)| ProjectId::new(*project)).collect();
    let requests: Vec<IssuableId> = closing.iter().map(|(_, request, _)| IssuableId::new(*request)).collect();
    let reach = IssuableReach::resolve(tx, IssuableKind::MergeRequest, viewer, IssuableSet::All, today)?;
    let seen = visible_of(tx, &reach.narrowed(&projects), &requests)?;
    for (issue, request, _) in closing {
        if seen.contains(&IssuableId::new(request)) {
            *counts.entry(IssuableId::new(issue)).or_default() += 1;
        }
    }
    Ok(counts)
}

//! Finding merge requests by what only they have.

use std::collections::HashMap;

use diesel::prelude::*;
use tenon_domain::id::{IssuableId, ProjectId};
use tenon_domain::issuable::Issuable;
use tenon_domain::merge_request::MergeRequest;

use super::row::MergeRequestRow;
use crate::any_of::any_of;
use crate::connection::Backend;
use crate::error::StoreResult;
use crate::issuable::IssuableRow;
use crate::schema::{issuables, merge_request_versions, merge_requests};
use crate::unit_of_work::ReadTx;

/// Both halves of a merge request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What it shares with issues.
    pub issuable: Issuable,
    /// The rest.
    pub request: MergeRequest,
}

/// The merge request of that id.
pub fn find(tx: &mut ReadTx<'_>, id: IssuableId) -> StoreResult<Option<MergeRequest>> {
    let row: Option<MergeRequestRow> =
        merge_requests::table.find(id.get()).select(MergeRequestRow::as_select()).first(tx.conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

/// The merge requests of these ids.
pub fn by_ids(tx: &mut ReadTx<'_>, ids: &[IssuableId]) -> StoreResult<HashMap<IssuableId, MergeRequest>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<MergeRequestRow> = merge_requests::table
        .filter(any_of(merge_requests::issuable_id, ids, IssuableId::get))
        .select(MergeRequestRow::as_select())
        .load(tx.conn)?;
    rows.into_iter().map(|row| MergeRequest::try_from(row).map(|request| (request.id, request))).collect()
}

macro_rules! open {
    () => {
        merge_requests::table
            .inner_join(issuables::table)
            .filter(issuables::state.eq("opened"))
            .filter(issuables::deleted_at.is_null())
    };
}

type Row = (IssuableRow, MergeRequestRow);

fn both(rows: Vec<Row>) -> StoreResult<Vec<Found>> {
    rows.into_iter()
        .map(|(issuable, request)| Ok(Found { issuable: issuable.try_into()?, request: request.try_into()? }))
        .collect()
}

/// The open merge requests out of a branch.
pub fn open_from(tx: &mut ReadTx<'_>, project: ProjectId, branch: &str) -> StoreResult<Vec<Found>> {
    let rows: Vec<Row> = open!()
        .filter(merge_requests::source_project_id.eq(project.get()))
        .filter(merge_requests::source_branch.eq(branch))
        .order(merge_requests::issuable_id)
        .select(<(IssuableRow, MergeRequestRow)>::as_select())
        .load(tx.conn)?;
    both(rows)
}

/// The open merge requests into a branch.
pub fn open_into(tx: &mut ReadTx<'_>, project: ProjectId, branch: &str) -> StoreResult<Vec<Found>> {
    let rows: Vec<Row> = open!()
        .filter(issuables::project_id.eq(project.get()))
        .filter(merge_requests::target_branch.eq(branch))
        .order(merge_requests::issuable_id)
        .select(<(IssuableRow, MergeRequestRow)>::as_select())
        .load(tx.conn)?;
    both(rows)
}

/// Some open merge requests into a project of which Git has not been asked since a branch moved, newest first.
pub fn unchecked_into(tx: &mut ReadTx<'_>, project: ProjectId, limit: i64) -> StoreResult<Vec<IssuableId>> {
    let ids: Vec<i64> = open!()
        .filter(issuables::project_id.eq(project.get()))
        .filter(merge_requests::merge_status.eq("unchecked"))
        .order(merge_requests::issuable_id.desc())
        .select(merge_requests::issuable_id)
        .limit(limit)
        .load(tx.conn)?;
    Ok(ids.into_iter().map(IssuableId::new).collect())
}

/// The open merge request between the same branches, `but` aside.
pub fn duplicate(
    tx: &mut ReadTx<'_>,
    target: ProjectId,
    request: &MergeRequest,
    but: Option<IssuableId>,
) -> StoreResult<Option<Issuable>> {
    let Some(source) = request.source_project else { return Ok(None) };
    let mut query = open!()
        .filter(issuables::project_id.eq(target.get()))
        .filter(merge_requests::source_project_id.eq(source.get()))
        .filter(merge_requests::source_branch.eq(&request.source_branch))
        .filter(merge_requests::target_branch.eq(&request.target_branch))
        .order(issuables::id)
        .select(IssuableRow::as_select())
        .into_boxed::<Backend>();
    if let Some(id) = but {
        query = query.filter(issuables::id.ne(id.get()));
    }
    let row: Option<IssuableRow> = query.first(tx.conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

/// The merge requests into a project that had or made this commit as a head, newest first.
pub fn with_commit(tx: &mut ReadTx<'_>, project: ProjectId, sha: &str) -> StoreResult<Vec<IssuableId>> {
    let heads = merge_request_versions::table
        .filter(merge_request_versions::head_sha.eq(sha))
        .select(merge_request_versions::issuable_id);
    let ids: Vec<i64> = merge_requests::table
        .inner_join(issuables::table)
        .filter(issuables::project_id.eq(project.get()))
        .filter(issuables::deleted_at.is_null())
        .filter(
            merge_requests::issuable_id
                .eq_any(heads)
                .or(merge_requests::merge_commit_sha.eq(sha))
                .or(merge_requests::squash_commit_sha.eq(sha)),
        )
        .order(merge_requests::issuable_id.desc())
        .select(merge_requests::issuable_id)
        .load(tx.conn)?;
    Ok(ids.into_iter().map(IssuableId::new).collect())
}

//! Writing the part of merge requests that issues have not.

use std::collections::{HashMap, HashSet};

use diesel::prelude::*;
use tenon_domain::id::{IssuableId, ProjectId, UserId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::merge_request::{MergeRequest, MergeStatus};

use crate::db::connection::on_each;
use crate::db::expressions::{in_ids, in_texts};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::rows::merge_request::MergeRequestColumns;
use crate::schema::{issuables, merge_request_reviewers, merge_requests};

/// Stores it beside the [`tenon_domain::issuable::Issuable`] of the same id, which must be there.
pub fn insert(tx: &mut WriteTx<'_>, request: &MergeRequest) -> StoreResult<()> {
    diesel::insert_into(merge_requests::table).values(MergeRequestColumns::from(request)).execute(tx.conn)?;
    Ok(())
}

/// Stores it as it now is.
pub fn update(tx: &mut WriteTx<'_>, request: &MergeRequest) -> StoreResult<()> {
    diesel::update(merge_requests::table.find(request.id.get()))
        .set(MergeRequestColumns::from(request))
        .execute(tx.conn)?;
    Ok(())
}

/// The reviewers of each, in the order in which they were named.
pub fn reviewers(tx: &mut ReadTx<'_>, ids: &[IssuableId]) -> StoreResult<HashMap<IssuableId, Vec<UserId>>> {
    let mut found: HashMap<IssuableId, Vec<UserId>> = HashMap::new();
    if ids.is_empty() {
        return Ok(found);
    }
    let rows: Vec<(i64, i64)> = merge_request_reviewers::table
        .filter(in_ids(merge_request_reviewers::issuable_id, ids, IssuableId::get))
        .order((merge_request_reviewers::issuable_id, merge_request_reviewers::position))
        .select((merge_request_reviewers::issuable_id, merge_request_reviewers::user_id))
        .load(tx.conn)?;
    for (issuable, user) in rows {
        found.entry(IssuableId::new(issuable)).or_default().push(UserId::new(user));
    }
    Ok(found)
}

/// Replaces the reviewers.
pub fn set_reviewers(tx: &mut WriteTx<'_>, id: IssuableId, users: &[UserId]) -> StoreResult<()> {
    diesel::delete(merge_request_reviewers::table.filter(merge_request_reviewers::issuable_id.eq(id.get())))
        .execute(tx.conn)?;
    let rows: Vec<_> = (0_i64..)
        .zip(users)
        .map(|(position, user)| {
            (
                merge_request_reviewers::issuable_id.eq(id.get()),
                merge_request_reviewers::user_id.eq(user.get()),
                merge_request_reviewers::position.eq(position),
            )
        })
        .collect();
    if !rows.is_empty() {
        on_each!(tx.conn, c => diesel::insert_into(merge_request_reviewers::table).values(&rows).execute(c))?;
    }
    Ok(())
}

/// Stores what Git says of merging.
pub fn set_status(tx: &mut WriteTx<'_>, id: IssuableId, status: MergeStatus) -> StoreResult<()> {
    diesel::update(merge_requests::table.find(id.get()))
        .set(merge_requests::merge_status.eq(status.as_str()))
        .execute(tx.conn)?;
    Ok(())
}

/// Those of these branches of a project that open merge requests lead out of or into.
pub fn branches_with_open(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    branches: &[String],
) -> StoreResult<HashSet<String>> {
    let open = || {
        issuables::table
            .filter(issuables::kind.eq(IssuableKind::MergeRequest.as_str()))
            .filter(issuables::state.eq("opened"))
            .filter(issuables::deleted_at.is_null())
    };
    let into: Vec<String> = merge_requests::table
        .filter(in_texts(merge_requests::target_branch, branches))
        .filter(
            merge_requests::issuable_id
                .eq_any(open().filter(issuables::project_id.eq(project.get())).select(issuables::id)),
        )
        .select(merge_requests::target_branch)
        .distinct()
        .load(tx.conn)?;
    let out_of: Vec<String> = merge_requests::table
        .filter(merge_requests::source_project_id.eq(project.get()))
        .filter(in_texts(merge_requests::source_branch, branches))
        .filter(merge_requests::issuable_id.eq_any(open().select(issuables::id)))
        .select(merge_requests::source_branch)
        .distinct()
        .load(tx.conn)?;
    Ok(into.into_iter().chain(out_of).collect())
}

/// Remembers that Git has to be asked again about the open merge requests out of a branch and into it; yields how many.
pub fn uncheck_at(tx: &mut WriteTx<'_>, project: ProjectId, branch: &str) -> StoreResult<usize> {
    let open = || {
        issuables::table
            .filter(issuables::kind.eq(IssuableKind::MergeRequest.as_str()))
            .filter(issuables::state.eq("opened"))
            .filter(issuables::deleted_at.is_null())
    };
    let unchecked = || merge_requests::merge_status.eq(MergeStatus::Unchecked.as_str());
    let into = diesel::update(merge_requests::table)
        .filter(merge_requests::target_branch.eq(branch))
        .filter(
            merge_requests::issuable_id
                .eq_any(open().filter(issuables::project_id.eq(project.get())).select(issuables::id)),
        )
        .set(unchecked())
        .execute(tx.conn)?;
    let out_of = diesel::update(merge_requests::table)
        .filter(merge_requests::source_project_id.eq(project.get()))
        .filter(merge_requests::source_branch.eq(branch))
        .filter(merge_requests::issuable_id.eq_any(open().select(issuables::id)))
        .set(unchecked())
        .execute(tx.conn)?;
    Ok(into + out_of)
}

/// Removes this error from the open merge requests into a branch: the branch has moved.
pub fn forget_error_at(tx: &mut WriteTx<'_>, project: ProjectId, branch: &str, error: &str) -> StoreResult<()> {
    let open = issuables::table
        .filter(issuables::kind.eq(IssuableKind::MergeRequest.as_str()))
        .filter(issuables::project_id.eq(project.get()))
        .filter(issuables::state.eq("opened"))
        .filter(issuables::deleted_at.is_null());
    diesel::update(merge_requests::table)
        .filter(merge_requests::target_branch.eq(branch))
        .filter(merge_requests::issuable_id.eq_any(open.select(issuables::id)))
        .filter(merge_requests::merge_error.eq(error))
        .set(merge_requests::merge_error.eq(None::<String>))
        .execute(tx.conn)?;
    Ok(())
}

/// Remembers that what a project offers cannot be merged: the project is about to go.
pub fn break_those_from(tx: &mut WriteTx<'_>, project: ProjectId) -> StoreResult<()> {
    diesel::update(merge_requests::table)
        .filter(merge_requests::source_project_id.eq(project.get()))
        .filter(merge_requests::merged_at.is_null())
        .set(merge_requests::merge_status.eq(MergeStatus::CannotBeMerged.as_str()))
        .execute(tx.conn)?;
    Ok(())
}

//! Finding merge requests by what only they have.

use std::collections::{HashMap, HashSet};

use diesel::prelude::*;
use tenon_domain::id::{Iid, IssuableId, ProjectId, UserId};
use tenon_domain::issuable::Issuable;
use tenon_domain::merge_request::MergeRequest;

use crate::db::connection::{Backend, on_each};
use crate::db::expressions::{in_ids, in_texts};
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::rows::issuable::IssuableRow;
use crate::rows::merge_request::MergeRequestRow;
use crate::schema::{issuables, merge_requests};

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
    let rows: Vec<MergeRequestRow> = on_each!(tx.conn, c => merge_requests::table
        .filter(in_ids(merge_requests::issuable_id, ids, IssuableId::get))
        .select(MergeRequestRow::as_select())
        .load(c))?;
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

/// An open merge request at a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtBranch {
    /// Its id.
    pub id: IssuableId,
    /// The head of its newest version.
    pub head: Option<String>,
    /// The commits of that.
    pub commits_count: i64,
    /// True if the branch is the one that is to get them.
    pub is_target: bool,
}

/// The open merge requests out of a branch and into it, by id, after this id, up to `limit`.
pub fn at_branch(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    branch: &str,
    after: i64,
    limit: i64,
) -> StoreResult<Vec<AtBranch>> {
    let into = issuables::project_id.eq(project.get()).and(merge_requests::target_branch.eq(branch));
    let out_of = merge_requests::source_project_id
        .eq(project.get())
        .and(merge_requests::source_branch.eq(branch))
        .assume_not_null();
    let rows: Vec<(i64, Option<String>, i64, i64, String)> = open!()
        .filter(into.or(out_of))
        .filter(merge_requests::issuable_id.gt(after))
        .order(merge_requests::issuable_id)
        .select((
            merge_requests::issuable_id,
            merge_requests::head_sha,
            merge_requests::commits_count,
            issuables::project_id,
            merge_requests::target_branch,
        ))
        .limit(limit)
        .load(tx.conn)?;
    Ok(rows
        .into_iter()
        .map(|(id, head, commits_count, target, target_branch)| AtBranch {
            id: IssuableId::new(id),
            head,
            commits_count,
            is_target: target == project.get() && target_branch == branch,
        })
        .collect())
}

/// The open merge requests out of a branch with this head that wait for its pipeline.
pub fn waiting_for(tx: &mut ReadTx<'_>, project: ProjectId, branch: &str, head: &str) -> StoreResult<Vec<IssuableId>> {
    let ids: Vec<i64> = open!()
        .filter(merge_requests::source_project_id.eq(project.get()))
        .filter(merge_requests::source_branch.eq(branch))
        .filter(merge_requests::head_sha.eq(head))
        .filter(merge_requests::auto_merge_by_id.is_not_null())
        .order(merge_requests::issuable_id)
        .select(merge_requests::issuable_id)
        .load(tx.conn)?;
    Ok(ids.into_iter().map(IssuableId::new).collect())
}

/// A branch that its merge request opens to those who may merge it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenOffer {
    /// The branch.
    pub branch: String,
    /// The project that it is offered to.
    pub target: ProjectId,
    /// The branch that is to get it.
    pub into: String,
}

/// The offers of the open merge requests out of a project open to others, by id.
pub fn open_to_others(tx: &mut ReadTx<'_>, source: ProjectId) -> StoreResult<Vec<OpenOffer>> {
    let rows: Vec<(String, i64, String)> = open!()
        .filter(merge_requests::source_project_id.eq(source.get()))
        .filter(merge_requests::allow_collaboration.eq(true))
        .order(merge_requests::issuable_id)
        .select((merge_requests::source_branch, issuables::project_id, merge_requests::target_branch))
        .load(tx.conn)?;
    let offer = |(branch, target, into)| OpenOffer { branch, target: ProjectId::new(target), into };
    Ok(rows.into_iter().map(offer).collect())
}

/// The branches of a project out of which or into which merge requests are open.
pub fn open_branches(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<HashSet<String>> {
    let from: Vec<String> = open!()
        .filter(merge_requests::source_project_id.eq(project.get()))
        .select(merge_requests::source_branch)
        .distinct()
        .load(tx.conn)?;
    let into: Vec<String> = open!()
        .filter(issuables::project_id.eq(project.get()))
        .select(merge_requests::target_branch)
        .distinct()
        .load(tx.conn)?;
    Ok(from.into_iter().chain(into).collect())
}

/// The branches of a project out of which merge requests are open into this branch of `target`.
pub fn open_into(
    tx: &mut ReadTx<'_>,
    source: ProjectId,
    target: ProjectId,
    branch: &str,
) -> StoreResult<HashSet<String>> {
    let from: Vec<String> = open!()
        .filter(merge_requests::source_project_id.eq(source.get()))
        .filter(issuables::project_id.eq(target.get()))
        .filter(merge_requests::target_branch.eq(branch))
        .select(merge_requests::source_branch)
        .distinct()
        .load(tx.conn)?;
    Ok(from.into_iter().collect())
}

/// The open merge requests out of a project into others, by id.
pub fn open_elsewhere(tx: &mut ReadTx<'_>, source: ProjectId) -> StoreResult<Vec<IssuableId>> {
    let ids: Vec<i64> = open!()
        .filter(merge_requests::source_project_id.eq(source.get()))
        .filter(issuables::project_id.ne(source.get()))
        .order(merge_requests::issuable_id)
        .select(merge_requests::issuable_id)
        .load(tx.conn)?;
    Ok(ids.into_iter().map(IssuableId::new).collect())
}

/// An open merge request out of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    /// The branch.
    pub branch: String,
    /// The project that it is offered to.
    pub target: ProjectId,
    /// Its number there.
    pub iid: Iid,
}

/// The open merge requests out of these branches of a project, by id, up to `limit`.
pub fn offered(tx: &mut ReadTx<'_>, source: ProjectId, branches: &[&str], limit: i64) -> StoreResult<Vec<Offered>> {
    let rows: Vec<(String, i64, i64)> = open!()
        .filter(merge_requests::source_project_id.eq(source.get()))
        .filter(merge_requests::source_branch.eq_any(branches))
        .order(merge_requests::issuable_id)
        .select((merge_requests::source_branch, issuables::project_id, issuables::iid))
        .limit(limit)
        .load(tx.conn)?;
    let offered = |(branch, target, iid)| Offered { branch, target: ProjectId::new(target), iid: Iid::new(iid) };
    Ok(rows.into_iter().map(offered).collect())
}

/// The newest merge request out of each of these branches of a project into the project itself, of those that have one.
pub fn newest_of_branches(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    branches: &[String],
) -> StoreResult<HashMap<String, Issuable>> {
    let newest: Vec<Option<i64>> = merge_requests::table
        .inner_join(issuables::table)
        .filter(issuables::deleted_at.is_null())
        .filter(issuables::project_id.eq(project.get()))
        .filter(merge_requests::source_project_id.eq(project.get()))
        .filter(in_texts(merge_requests::source_branch, branches))
        .group_by(merge_requests::source_branch)
        .select(diesel::dsl::max(merge_requests::issuable_id))
        .load(tx.conn)?;
    let newest: Vec<i64> = newest.into_iter().flatten().collect();
    let rows: Vec<(String, IssuableRow)> = merge_requests::table
        .inner_join(issuables::table)
        .filter(in_ids(merge_requests::issuable_id, &newest, std::convert::identity))
        .select((merge_requests::source_branch, IssuableRow::as_select()))
        .load(tx.conn)?;
    rows.into_iter().map(|(branch, row)| Ok((branch, row.try_into()?))).collect()
}

/// The source branches and heads of the newest open merge requests that a user has opened, at most `most`.
pub fn open_heads_of(tx: &mut ReadTx<'_>, author: UserId, most: i64) -> StoreResult<Vec<(ProjectId, String, String)>> {
    let rows: Vec<(Option<i64>, String, Option<String>)> = open!()
        .filter(issuables::author_id.eq(author.get()))
        .order(issuables::id.desc())
        .limit(most)
        .select((merge_requests::source_project_id, merge_requests::source_branch, merge_requests::head_sha))
        .load(tx.conn)?;
    let whole = |(project, branch, head): (Option<i64>, String, Option<String>)| {
        Some((ProjectId::new(project?), branch, head?))
    };
    Ok(rows.into_iter().filter_map(whole).collect())
}

/// The branches among these that have a merge request that is open, or one of any state that ends at one of `heads`.
/// Each of `wanted` is a project and the short name of a branch.
pub fn sources_with_request(
    tx: &mut ReadTx<'_>,
    wanted: &[(ProjectId, String)],
    heads: &[String],
) -> StoreResult<HashSet<(ProjectId, String)>> {
    let projects: Vec<ProjectId> = wanted.iter().map(|(project, _)| *project).collect();
    let branches: Vec<String> = wanted.iter().map(|(_, branch)| branch.clone()).collect();
    let rows: Vec<(Option<i64>, String)> = merge_requests::table
        .inner_join(issuables::table)
        .filter(issuables::deleted_at.is_null())
        .filter(in_ids(merge_requests::source_project_id.assume_not_null(), &projects, ProjectId::get))
        .filter(in_texts(merge_requests::source_branch, &branches))
        .filter(issuables::state.eq("opened").or(in_texts(merge_requests::head_sha.assume_not_null(), heads)))
        .select((merge_requests::source_project_id, merge_requests::source_branch))
        .distinct()
        .load(tx.conn)?;
    Ok(rows.into_iter().filter_map(|(project, branch)| Some((ProjectId::new(project?), branch))).collect())
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

/// The commits with which these merge requests of a project were compared when they last changed, with their numbers.
pub fn compared_with(tx: &mut ReadTx<'_>, project: ProjectId, iids: &[i64]) -> StoreResult<Vec<(Iid, Option<String>)>> {
    let rows: Vec<(i64, Option<String>)> = merge_requests::table
        .inner_join(issuables::table)
        .filter(issuables::project_id.eq(project.get()))
        .filter(in_ids(issuables::iid, iids, std::convert::identity))
        .filter(issuables::deleted_at.is_null())
        .select((issuables::iid, merge_requests::start_sha))
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|(iid, start)| (Iid::new(iid), start)).collect())
}

/// The merge requests of a project, by id, with their numbers, whose merge has made this commit: as the merge, or as the
/// one commit that their commits became.
pub fn merged_by(tx: &mut ReadTx<'_>, project: ProjectId, commit: &str) -> StoreResult<Vec<(Iid, MergeRequest)>> {
    let rows: Vec<(i64, MergeRequestRow)> = merge_requests::table
        .inner_join(issuables::table)
        .filter(
            merge_requests::merge_commit_sha
                .eq(commit)
                .or(merge_requests::squash_commit_sha.eq(commit))
                .assume_not_null(),
        )
        .filter(issuables::project_id.eq(project.get()))
        .filter(issuables::deleted_at.is_null())
        .order(issuables::id)
        .select((issuables::iid, MergeRequestRow::as_select()))
        .load(tx.conn)?;
    rows.into_iter().map(|(iid, row)| Ok((Iid::new(iid), row.try_into()?))).collect()
}

/// The merge requests that a user wrote, deleted ones left out: projects and numbers.
pub fn written_by(tx: &mut ReadTx<'_>, user: UserId) -> StoreResult<Vec<(ProjectId, Iid)>> {
    let rows: Vec<(i64, i64)> = merge_requests::table
        .inner_join(issuables::table)
        .filter(issuables::author_id.eq(user.get()))
        .filter(issuables::deleted_at.is_null())
        .order(issuables::id)
        .select((issuables::project_id, issuables::iid))
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|(project, iid)| (ProjectId::new(project), Iid::new(iid))).collect())
}

/// The numbers of approvals that these require by themselves; those that require none are left out.
pub fn approvals_before_merge(tx: &mut ReadTx<'_>, ids: &[IssuableId]) -> StoreResult<HashMap<IssuableId, i64>> {
    let rows: Vec<(i64, i64)> = merge_requests::table
        .filter(in_ids(merge_requests::issuable_id, ids, IssuableId::get))
        .filter(merge_requests::approvals_before_merge.is_not_null())
        .select((merge_requests::issuable_id, merge_requests::approvals_before_merge.assume_not_null()))
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|(id, required)| (IssuableId::new(id), required)).collect())
}

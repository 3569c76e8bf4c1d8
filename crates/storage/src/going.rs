//! Projects, groups and accounts that are hidden and wait for the job that removes them.

use diesel::prelude::*;
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::time::Timestamp;

use crate::db::row::naive;
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::schema::{namespaces, projects, users};

/// Projects that were hidden before a moment, and whose group or owner stays.
pub fn projects(tx: &mut ReadTx<'_>, before: Timestamp) -> StoreResult<Vec<ProjectId>> {
    let ids: Vec<i64> = projects::table
        .inner_join(namespaces::table)
        .filter(projects::deleting_at.lt(naive(before)))
        .filter(namespaces::deleting_at.is_null())
        .select(projects::id)
        .load(tx.conn)?;
    Ok(ids.into_iter().map(ProjectId::new).collect())
}

/// Groups that were hidden before a moment, and of which the group above stays.
pub fn groups(tx: &mut ReadTx<'_>, before: Timestamp) -> StoreResult<Vec<NamespaceId>> {
    let above = diesel::alias!(namespaces as above);
    let stays = above.field(namespaces::deleting_at).is_null();
    let ids: Vec<i64> = namespaces::table
        .left_join(above.on(above.field(namespaces::id).nullable().eq(namespaces::parent_id)))
        .filter(namespaces::kind.eq("group"))
        .filter(namespaces::deleting_at.lt(naive(before)))
        .filter(stays)
        .select(namespaces::id)
        .load(tx.conn)?;
    Ok(ids.into_iter().map(NamespaceId::new).collect())
}

/// Accounts that were hidden before a moment.
pub fn users(tx: &mut ReadTx<'_>, before: Timestamp) -> StoreResult<Vec<UserId>> {
    let ids: Vec<i64> = users::table.filter(users::deleting_at.lt(naive(before))).select(users::id).load(tx.conn)?;
    Ok(ids.into_iter().map(UserId::new).collect())
}

//! Large files (LFS): objects, the projects that have them, and locks. The bytes of objects lie in the object store.

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Timestamp as SqlTimestamp};
use tenon_domain::id::{LfsLockId, ProjectId, UserId};
use tenon_domain::lfs::{LfsLock, LfsOid};
use tenon_domain::time::Timestamp;

use crate::db::connection::{Backend, on_each};
use crate::db::expressions::{in_ids, in_texts};
use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{lfs_links, lfs_locks, lfs_objects, repository_facts, users};

/// Those of the objects that a project has, with their sizes in bytes.
pub fn linked(tx: &mut ReadTx<'_>, project: ProjectId, oids: &[LfsOid]) -> StoreResult<HashMap<String, i64>> {
    let texts: Vec<String> = oids.iter().map(|oid| oid.as_str().to_owned()).collect();
    let rows: Vec<(String, i64)> = lfs_links::table
        .filter(lfs_links::project_id.eq(project.get()))
        .filter(in_texts(lfs_links::oid, &texts))
        .select((lfs_links::oid, lfs_links::size))
        .load(tx.conn)?;
    Ok(rows.into_iter().collect())
}

/// Bytes of all objects of a project.
pub fn total(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<i64> {
    let row = repository_facts::table.find(project.get()).select(repository_facts::lfs_size);
    Ok(row.first(tx.conn).optional()?.unwrap_or(0))
}

/// True if there is a row of an object, whichever projects have it.
pub fn exists(tx: &mut ReadTx<'_>, oid: &LfsOid) -> StoreResult<bool> {
    Ok(diesel::select(diesel::dsl::exists(lfs_objects::table.find(oid.as_str()))).get_result(tx.conn)?)
}

/// Gives an object to a project. Its bytes must be in the store. A project that has it already keeps it as it is.
pub fn link(tx: &mut WriteTx<'_>, project: ProjectId, oid: &LfsOid, size: i64, at: Timestamp) -> StoreResult<()> {
    let at = naive(at);
    let object = (lfs_objects::oid.eq(oid.as_str()), lfs_objects::size.eq(size), lfs_objects::created_at.eq(at));
    on_each!(tx.conn, c => diesel::insert_into(lfs_objects::table).values(object).on_conflict_do_nothing().execute(c))?;
    let waits = lfs_objects::table.find(oid.as_str()).filter(lfs_objects::unlinked_at.is_not_null());
    diesel::update(waits).set(lfs_objects::unlinked_at.eq(None::<NaiveDateTime>)).execute(tx.conn)?;
    let link = (
        lfs_links::project_id.eq(project.get()),
        lfs_links::oid.eq(oid.as_str()),
        lfs_links::size.eq(size),
        lfs_links::created_at.eq(at),
    );
    on_each!(tx.conn, c => diesel::insert_into(lfs_links::table).values(link).on_conflict_do_nothing().execute(c))?;
    Ok(())
}

/// Gives all objects of one project to another.
pub fn copy_links(tx: &mut WriteTx<'_>, from: ProjectId, to: ProjectId, at: Timestamp) -> StoreResult<()> {
    diesel::sql_query(
        "INSERT INTO lfs_links (project_id, oid, size, created_at) SELECT $1, oid, size, $2 FROM lfs_links AS source \
         WHERE source.project_id = $3 ON CONFLICT DO NOTHING",
    )
    .bind::<BigInt, _>(to.get())
    .bind::<SqlTimestamp, _>(naive(at))
    .bind::<BigInt, _>(from.get())
    .execute(tx.conn)?;
    Ok(())
}

/// Takes all objects from a project. Those that no other project has are marked: their bytes may go some time after `at`.
pub fn unlink_all(tx: &mut WriteTx<'_>, project: ProjectId, at: Timestamp) -> StoreResult<()> {
    diesel::sql_query(
        "UPDATE lfs_objects SET unlinked_at = $1 WHERE oid IN (SELECT oid FROM lfs_links WHERE project_id = $2) \
         AND NOT EXISTS (SELECT 1 FROM lfs_links AS other WHERE other.oid = lfs_objects.oid AND other.project_id <> $3)",
    )
    .bind::<SqlTimestamp, _>(naive(at))
    .bind::<BigInt, _>(project.get())
    .bind::<BigInt, _>(project.get())
    .execute(tx.conn)?;
    diesel::delete(lfs_links::table.filter(lfs_links::project_id.eq(project.get()))).execute(tx.conn)?;
    Ok(())
}

/// The first `limit` objects that have been in no project since `until` or before.
pub fn unlinked_since(tx: &mut ReadTx<'_>, until: Timestamp, limit: i64) -> StoreResult<Vec<LfsOid>> {
    let oids: Vec<String> = lfs_objects::table
        .filter(lfs_objects::unlinked_at.le(naive(until)))
        .order((lfs_objects::unlinked_at, lfs_objects::oid))
        .limit(limit)
        .select(lfs_objects::oid)
        .load(tx.conn)?;
    Ok(oids.iter().filter_map(|oid| LfsOid::parse(oid)).collect())
}

/// Removes the row of an object that is still in no project since `until` or before; yields whether it was so.
pub fn remove_unlinked(tx: &mut WriteTx<'_>, oid: &LfsOid, until: Timestamp) -> StoreResult<bool> {
    let links = lfs_links::table.filter(lfs_links::oid.eq(lfs_objects::oid));
    let gone = lfs_objects::table
        .filter(lfs_objects::oid.eq(oid.as_str()))
        .filter(lfs_objects::unlinked_at.le(naive(until)))
        .filter(diesel::dsl::not(diesel::dsl::exists(links)));
    Ok(diesel::delete(gone).execute(tx.conn)? > 0)
}

/// The conditions of a list of locks.
#[derive(Debug, Clone, Default)]
pub struct LockFilter {
    /// Only that of this path.
    pub path: Option<String>,
    /// Only that of this id.
    pub id: Option<LfsLockId>,
    /// Only those of others than this user.
    pub not_of: Option<UserId>,
}

/// The first `limit` locks of a project with ids above `after`, by id.
pub fn locks(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    filter: &LockFilter,
    after: i64,
    limit: i64,
) -> StoreResult<Vec<LfsLock>> {
    let mut query = lfs_locks::table
        .filter(lfs_locks::project_id.eq(project.get()))
        .filter(lfs_locks::id.gt(after))
        .into_boxed::<Backend>();
    if let Some(path) = &filter.path {
        query = query.filter(lfs_locks::path.eq(path.clone()));
    }
    if let Some(id) = filter.id {
        query = query.filter(lfs_locks::id.eq(id.get()));
    }
    if let Some(user) = filter.not_of {
        query = query.filter(lfs_locks::user_id.ne(user.get()));
    }
    let rows: Vec<(i64, String, i64, NaiveDateTime)> = query
        .order(lfs_locks::id)
        .limit(limit)
        .select((lfs_locks::id, lfs_locks::path, lfs_locks::user_id, lfs_locks::locked_at))
        .load(tx.conn)?;
    let mut owners: Vec<UserId> = rows.iter().map(|(_, _, user, _)| UserId::new(*user)).collect();
    owners.sort_unstable();
    owners.dedup();
    let names: Vec<(i64, String)> =
        users::table.filter(in_ids(users::id, &owners, UserId::get)).select((users::id, users::name)).load(tx.conn)?;
    let names: HashMap<i64, String> = names.into_iter().collect();
    let lock = |(id, path, user, locked_at): (i64, String, i64, NaiveDateTime)| LfsLock {
        id: LfsLockId::new(id),
        path,
        owner: UserId::new(user),
        owner_name: names.get(&user).cloned().unwrap_or_default(),
        locked_at: utc(locked_at),
    };
    Ok(rows.into_iter().map(lock).collect())
}

/// How many locks a project has.
pub fn count_locks(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<i64> {
    Ok(lfs_locks::table.filter(lfs_locks::project_id.eq(project.get())).count().get_result(tx.conn)?)
}

/// Locks a path of a project for a user; yields the id of the lock.
pub fn insert_lock(
    tx: &mut WriteTx<'_>,
    project: ProjectId,
    path: &str,
    user: UserId,
    at: Timestamp,
) -> StoreResult<LfsLockId> {
    let id = diesel::insert_into(lfs_locks::table)
        .values((
            lfs_locks::project_id.eq(project.get()),
            lfs_locks::path.eq(path),
            lfs_locks::user_id.eq(user.get()),
            lfs_locks::locked_at.eq(naive(at)),
        ))
        .returning(lfs_locks::id)
        .get_result(tx.conn)?;
    Ok(LfsLockId::new(id))
}

/// Removes a lock.
pub fn delete_lock(tx: &mut WriteTx<'_>, id: LfsLockId) -> StoreResult<()> {
    diesel::delete(lfs_locks::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}

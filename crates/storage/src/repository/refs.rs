//! Refs as the server last saw them.

use std::collections::HashMap;

use diesel::prelude::*;
use tenon_domain::id::ProjectId;

use crate::db::connection::on_each;
use crate::db::expressions::{in_ids, in_texts};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::refs;

/// A ref and its commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredRef {
    /// Its full name: `refs/heads/main`.
    pub name: String,
    /// The object that it names, in hexadecimal.
    pub oid: String,
}

/// All refs of a repository as they were last seen, by name.
pub fn stored_refs(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<Vec<StoredRef>> {
    let rows: Vec<(String, String)> = refs::table
        .filter(refs::project_id.eq(project.get()))
        .order(refs::name)
        .select((refs::name, refs::oid))
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|(name, oid)| StoredRef { name, oid }).collect())
}

/// The commit of a ref when it was last seen, by its full name.
pub fn stored_ref(tx: &mut ReadTx<'_>, project: ProjectId, name: &str) -> StoreResult<Option<String>> {
    Ok(refs::table.find((project.get(), name)).select(refs::oid).first(tx.conn).optional()?)
}

/// The commits of several refs when they were last seen, each by its project and full name.
pub fn stored_refs_named(
    tx: &mut ReadTx<'_>,
    wanted: &[(ProjectId, String)],
) -> StoreResult<HashMap<(ProjectId, String), String>> {
    let projects: Vec<ProjectId> = wanted.iter().map(|(project, _)| *project).collect();
    let names: Vec<String> = wanted.iter().map(|(_, name)| name.clone()).collect();
    let rows: Vec<(i64, String, String)> = refs::table
        .filter(in_ids(refs::project_id, &projects, ProjectId::get))
        .filter(in_texts(refs::name, &names))
        .select((refs::project_id, refs::name, refs::oid))
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|(project, name, oid)| ((ProjectId::new(project), name), oid)).collect())
}

/// Remembers the present commits of refs; nothing stands for one that is gone.
pub fn change_refs(tx: &mut WriteTx<'_>, project: ProjectId, changes: &[(String, Option<String>)]) -> StoreResult<()> {
    for chunk in changes.chunks(1000) {
        let names: Vec<String> = chunk.iter().map(|(name, _)| name.clone()).collect();
        let of_project = refs::table.filter(refs::project_id.eq(project.get()));
        diesel::delete(of_project.filter(in_texts(refs::name, &names))).execute(tx.conn)?;
        let there = chunk.iter().filter_map(|(name, oid)| Some((name, oid.as_ref()?)));
        let rows =
            there.map(|(name, oid)| (refs::project_id.eq(project.get()), refs::name.eq(name), refs::oid.eq(oid)));
        let rows: Vec<_> = rows.collect();
        if !rows.is_empty() {
            on_each!(tx.conn, c => diesel::insert_into(refs::table).values(&rows).execute(c))?;
        }
    }
    Ok(())
}

/// Forgets what was seen, and remembers this instead.
pub fn replace_refs(tx: &mut WriteTx<'_>, project: ProjectId, seen: &[StoredRef]) -> StoreResult<()> {
    diesel::delete(refs::table.filter(refs::project_id.eq(project.get()))).execute(tx.conn)?;
    for chunk in seen.chunks(1000) {
        let rows: Vec<_> = chunk
            .iter()
            .map(|one| (refs::project_id.eq(project.get()), refs::name.eq(&one.name), refs::oid.eq(&one.oid)))
            .collect();
        on_each!(tx.conn, c => diesel::insert_into(refs::table).values(&rows).execute(c))?;
    }
    Ok(())
}

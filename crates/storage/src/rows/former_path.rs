//! Paths that groups and projects had before. They name their holders until another object takes the path.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use tenon_domain::path;

use crate::db::connection::on_each;
use crate::db::tx::WriteTx;
use crate::error::StoreResult;
use crate::schema::former_paths;

/// Makes a path, and all below it, name nothing that was there before: an object takes it.
pub(crate) fn release(tx: &mut WriteTx<'_>, full_path: &str) -> StoreResult<()> {
    let key = path::key(full_path);
    let (first, end) = below(&key);
    let within = former_paths::path_key.ge(first).and(former_paths::path_key.lt(end));
    diesel::delete(former_paths::table.filter(former_paths::path_key.eq(key).or(within))).execute(tx.conn)?;
    Ok(())
}

/// The bounds of the paths below one. The second bound is not among them. The column compares bytes.
fn below(key: &str) -> (String, String) {
    (format!("{key}/"), format!("{key}0"))
}

/// Keeps the path that a project has left, and drops its oldest one if there are more than are kept.
pub(crate) fn remember_of_project(tx: &mut WriteTx<'_>, key: &str, project: i64) -> StoreResult<()> {
    on_each!(tx.conn, c => diesel::insert_into(former_paths::table)
        .values((former_paths::path_key.eq(&key), former_paths::project_id.eq(project)))
        .on_conflict_do_nothing()
        .execute(c))?;
    let newest: Vec<i64> = former_paths::table
        .filter(former_paths::project_id.eq(project))
        .order(former_paths::id.desc())
        .limit(path::FORMER_PATHS)
        .select(former_paths::id)
        .load(tx.conn)?;
    if let Some(oldest) = newest.last() {
        let older =
            former_paths::table.filter(former_paths::project_id.eq(project)).filter(former_paths::id.lt(oldest));
        diesel::delete(older).execute(tx.conn)?;
    }
    Ok(())
}

/// The groups of a subtree, and the projects in it, as a condition on a table with the columns of both. `$1` is the id of the
/// namespace at the top.
macro_rules! in_subtree {
    () => {
        "(namespace_id IN (SELECT descendant_id FROM namespace_closure WHERE ancestor_id = $1) \
         OR project_id IN (SELECT id FROM projects WHERE namespace_id IN \
         (SELECT descendant_id FROM namespace_closure WHERE ancestor_id = $1)))"
    };
}

/// Keeps the paths of a group, and of all groups and projects below a namespace, before they change. The path of a user is not
/// kept: it names a person.
pub(crate) fn remember_subtree(tx: &mut WriteTx<'_>, namespace: i64) -> StoreResult<()> {
    diesel::sql_query(concat!(
        "INSERT INTO former_paths (path_key, namespace_id, project_id) \
         SELECT path_key, namespace_id, project_id FROM full_paths WHERE ",
        in_subtree!(),
        " AND (namespace_id IS NULL OR namespace_id IN (SELECT id FROM namespaces WHERE kind = 'group')) \
         ON CONFLICT DO NOTHING"
    ))
    .bind::<BigInt, _>(namespace)
    .execute(tx.conn)?;
    Ok(())
}

/// Makes the paths that a subtree has now name nothing else, and drops the oldest ones that its groups and projects had. Paths
/// below `full_path` stay if they were those of objects in the subtree.
pub(crate) fn release_for_subtree(tx: &mut WriteTx<'_>, namespace: i64, full_path: &str) -> StoreResult<()> {
    let (first, end) = below(&path::key(full_path));
    diesel::sql_query(concat!(
        "DELETE FROM former_paths WHERE path_key IN (SELECT path_key FROM full_paths WHERE ",
        in_subtree!(),
        ") OR (path_key >= $2 AND path_key < $3 AND NOT COALESCE(",
        in_subtree!(),
        ", FALSE))"
    ))
    .bind::<BigInt, _>(namespace)
    .bind::<Text, _>(first)
    .bind::<Text, _>(end)
    .execute(tx.conn)?;
    diesel::sql_query(concat!(
        "DELETE FROM former_paths WHERE id IN (SELECT id FROM (SELECT id, ROW_NUMBER() OVER \
         (PARTITION BY namespace_id, project_id ORDER BY id DESC) AS age FROM former_paths WHERE ",
        in_subtree!(),
        ") AS ranked WHERE age > $2)"
    ))
    .bind::<BigInt, _>(namespace)
    .bind::<BigInt, _>(path::FORMER_PATHS)
    .execute(tx.conn)?;
    Ok(())
}

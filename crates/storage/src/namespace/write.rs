//! Writing namespaces: the row, its full path, and its place below others, always together.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use tenon_domain::id::{NamespaceId, UserId};
use tenon_domain::namespace::{Namespace, NamespaceKind};
use tenon_domain::path;
use tenon_domain::time::Timestamp;
use tenon_domain::visibility::Visibility;

use crate::db::connection::on_each;
use crate::db::hierarchy::{ancestors, descendants};
use crate::db::row::naive;
use crate::db::tx::WriteTx;
use crate::error::StoreResult;
use crate::rows::former_path;
use crate::schema::{full_paths, namespace_closure, namespaces};

/// A namespace that is about to exist.
pub struct NewNamespace<'a> {
    /// User or group.
    pub kind: NamespaceKind,
    /// The user whose personal namespace it will be.
    pub owner: Option<UserId>,
    /// The group above.
    pub parent: Option<&'a Namespace>,
    /// Display name.
    pub name: &'a str,
    /// Last segment of the path.
    pub path: &'a str,
    /// How open it will be.
    pub visibility: Visibility,
    /// When it is made.
    pub at: Timestamp,
}

/// Stores a namespace and claims its path. Fails with [`crate::UniqueKey::FullPath`] if the path is taken.
pub fn insert(tx: &mut WriteTx<'_>, new: &NewNamespace<'_>) -> StoreResult<NamespaceId> {
    let (full_path, full_name) = placed(new.parent, new.path, new.name);
    let id: i64 = diesel::insert_into(namespaces::table)
        .values((
            namespaces::kind.eq(new.kind.as_str()),
            namespaces::parent_id.eq(new.parent.map(|parent| parent.id.get())),
            namespaces::owner_id.eq(new.owner.map(UserId::get)),
            namespaces::name.eq(new.name),
            namespaces::path.eq(new.path),
            namespaces::full_path.eq(&full_path),
            namespaces::full_name.eq(&full_name),
            namespaces::visibility.eq(new.visibility.as_str()),
            namespaces::ip_ranges.eq(new.parent.and_then(|parent| parent.ip_ranges.as_deref())),
            namespaces::created_at.eq(naive(new.at)),
            namespaces::updated_at.eq(naive(new.at)),
        ))
        .returning(namespaces::id)
        .get_result(tx.conn)?;
    diesel::insert_into(full_paths::table)
        .values((full_paths::path_key.eq(path::key(&full_path)), full_paths::namespace_id.eq(id)))
        .execute(tx.conn)?;
    former_path::release(tx, &full_path)?;
    attach(tx, &[(id, 0)], new.parent.map(|parent| parent.id.get()))?;
    Ok(NamespaceId::new(id))
}

/// Full path and full name of a namespace below `parent`.
fn placed(parent: Option<&Namespace>, path: &str, name: &str) -> (String, String) {
    match parent {
        None => (path.to_owned(), name.to_owned()),
        Some(parent) => (parent.path_of(path), format!("{} / {name}", parent.full_name)),
    }
}

/// Records that `nodes` (ids with their depth below the first of them) stand below `parent` and below each other's top.
fn attach(tx: &mut WriteTx<'_>, nodes: &[(i64, i64)], parent: Option<i64>) -> StoreResult<()> {
    let above: Vec<(i64, i64)> = match parent {
        None => Vec::new(),
        Some(parent) => {
            ancestors(parent).select((namespace_closure::ancestor_id, namespace_closure::depth)).load(tx.conn)?
        }
    };
    let row = |ancestor: i64, descendant: i64, depth: i64| {
        (
            namespace_closure::ancestor_id.eq(ancestor),
            namespace_closure::descendant_id.eq(descendant),
            namespace_closure::depth.eq(depth),
        )
    };
    let mut rows = Vec::new();
    for (node, depth) in nodes {
        rows.extend(above.iter().map(|(ancestor, height)| row(*ancestor, *node, height + depth + 1)));
    }
    // A new node also stands above itself; the rows among moved nodes are there already.
    if let [(node, 0)] = nodes {
        let exists = diesel::select(diesel::dsl::exists(namespace_closure::table.find((*node, *node))));
        if !exists.get_result::<bool>(tx.conn)? {
            rows.push(row(*node, *node, 0));
        }
    }
    on_each!(tx.conn, c => diesel::insert_into(namespace_closure::table).values(&rows).execute(c))?;
    Ok(())
}

/// Gives a namespace another name, path or parent, and moves every path and name below it along. Fails with
/// [`crate::UniqueKey::FullPath`] if a path is taken.
pub fn relocate(
    tx: &mut WriteTx<'_>,
    namespace: &Namespace,
    parent: Option<&Namespace>,
    name: &str,
    path: &str,
    at: Timestamp,
) -> StoreResult<()> {
    let id = namespace.id.get();
    if namespace.parent != parent.map(|parent| parent.id) {
        reparent(tx, id, parent.map(|parent| parent.id.get()))?;
    }
    diesel::update(namespaces::table.find(id))
        .set((
            namespaces::name.eq(name),
            namespaces::path.eq(path),
            namespaces::parent_id.eq(parent.map(|parent| parent.id.get())),
            namespaces::updated_at.eq(naive(at)),
        ))
        .execute(tx.conn)?;
    let (full_path, full_name) = placed(parent, path, name);
    let subtree = "(SELECT descendant_id FROM namespace_closure WHERE ancestor_id = $3)";
    let columns = [("full_path", &full_path, &namespace.full_path), ("full_name", &full_name, &namespace.full_name)];
    for (column, new, old) in columns {
        diesel::sql_query(format!(
            "UPDATE namespaces SET {column} = $1 || substr({column}, CAST($2 AS INTEGER)) WHERE id IN {subtree}"
        ))
        .bind::<Text, _>(new)
        .bind::<BigInt, _>(behind(old))
        .bind::<BigInt, _>(id)
        .execute(tx.conn)?;
    }
    if full_path != namespace.full_path {
        former_path::remember_subtree(tx, id)?;
        diesel::sql_query(format!(
            "UPDATE full_paths SET path_key = $1 || substr(path_key, CAST($2 AS INTEGER)) WHERE namespace_id IN {subtree} \
             OR project_id IN (SELECT id FROM projects WHERE namespace_id IN {subtree})"
        ))
        .bind::<Text, _>(path::key(&full_path))
        .bind::<BigInt, _>(behind(&namespace.full_path))
        .bind::<BigInt, _>(id)
        .execute(tx.conn)?;
        former_path::release_for_subtree(tx, id, &full_path)?;
    }
    Ok(())
}

/// The position, counted from one, of the first character after `text`.
fn behind(text: &str) -> i64 {
    i64::try_from(text.chars().count()).unwrap_or(i64::MAX - 1) + 1
}

fn reparent(tx: &mut WriteTx<'_>, id: i64, parent: Option<i64>) -> StoreResult<()> {
    let nodes: Vec<(i64, i64)> =
        descendants(id).select((namespace_closure::descendant_id, namespace_closure::depth)).load(tx.conn)?;
    let ids: Vec<i64> = nodes.iter().map(|(node, _)| *node).collect();
    diesel::delete(
        namespace_closure::table
            .filter(namespace_closure::descendant_id.eq_any(&ids))
            .filter(diesel::dsl::not(namespace_closure::ancestor_id.eq_any(&ids))),
    )
    .execute(tx.conn)?;
    if parent.is_some() { attach(tx, &nodes, parent) } else { Ok(()) }
}

/// Removes a namespace that has neither projects nor groups below it any more.
pub fn remove(tx: &mut WriteTx<'_>, id: NamespaceId) -> StoreResult<()> {
    diesel::delete(namespaces::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}

//! Projects.

mod fetches;
mod filter;
mod list;
mod marks;
mod mirror;
mod row;
mod star;
mod write;

pub use fetches::{any_fetches_before, count_fetches, fetches_since, purge_fetches};
pub use filter::{ProjectFilter, ProjectOrder, ProjectSet};
pub use list::{first, ids, list, visible_ids, walk};
pub use marks::{Marks, marks};
pub use mirror::{mirror, set_mirror};
pub use star::{add_star, remove_star, starrers};
pub use write::{
    NewProject, count_fork, delete, insert, lower_forks, mark_deleting, relocate, set_import_url, set_tags, update,
};

use std::collections::{HashMap, HashSet};

use diesel::prelude::*;
use tenon_domain::avatar::Avatar;
use tenon_domain::id::{NamespaceId, ProjectId};
use tenon_domain::namespace::Namespace;
use tenon_domain::project::Project;

use self::row::{FeaturesRow, ProjectRow, assemble};
use crate::db::connection::on_each;
use crate::db::expressions::in_ids;
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::rows::namespace::NamespaceRow;
use crate::schema::{namespaces, project_features, project_tags, projects};
pub use crate::visibility::filter::{readable_code, visible_projects_of as visible_of, with_level};

/// The project of that id; `None` also while it is being removed.
pub fn find(tx: &mut ReadTx<'_>, id: ProjectId) -> StoreResult<Option<Project>> {
    let found = on_each!(tx.conn, c => projects::table
        .inner_join(project_features::table)
        .filter(projects::id.eq(id.get()))
        .filter(projects::deleting_at.is_null())
        .select((ProjectRow::as_select(), FeaturesRow::as_select()))
        .first(c)
        .optional())?;
    found.map(assemble).transpose()
}

/// A project with the namespace that it lives in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectWithNamespace {
    /// The project.
    pub project: Project,
    /// The namespace of its path.
    pub home: Namespace,
}

/// The oldest fork of a project in a namespace, among those that are not archived.
pub fn fork_in(tx: &mut ReadTx<'_>, home: NamespaceId, source: ProjectId) -> StoreResult<Option<ProjectWithNamespace>> {
    let found: Option<i64> = projects::table
        .filter(projects::forked_from_id.eq(source.get()))
        .filter(projects::namespace_id.eq(home.get()))
        .filter(projects::archived.eq(false))
        .filter(projects::deleting_at.is_null())
        .order(projects::id)
        .select(projects::id)
        .first(tx.conn)
        .optional()?;
    found.map_or(Ok(None), |id| find_placed(tx, ProjectId::new(id)))
}

/// As [`find`], with the project's namespace.
pub fn find_placed(tx: &mut ReadTx<'_>, id: ProjectId) -> StoreResult<Option<ProjectWithNamespace>> {
    let found = on_each!(tx.conn, c => projects::table
        .inner_join(project_features::table)
        .inner_join(namespaces::table)
        .filter(projects::id.eq(id.get()))
        .filter(projects::deleting_at.is_null())
        .select((ProjectRow::as_select(), FeaturesRow::as_select(), NamespaceRow::as_select()))
        .first(c)
        .optional())?;
    found.map(placed).transpose()
}

/// As [`find_placed`], also while the project is being removed.
pub fn find_leaving(tx: &mut ReadTx<'_>, id: ProjectId) -> StoreResult<Option<ProjectWithNamespace>> {
    let found = projects::table
        .inner_join(project_features::table)
        .inner_join(namespaces::table)
        .filter(projects::id.eq(id.get()))
        .select((ProjectRow::as_select(), FeaturesRow::as_select(), NamespaceRow::as_select()))
        .first(tx.conn)
        .optional()?;
    found.map(placed).transpose()
}

/// The projects of these ids; those being removed are left out.
pub fn by_ids(tx: &mut ReadTx<'_>, ids: &[ProjectId]) -> StoreResult<Vec<ProjectWithNamespace>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<(ProjectRow, FeaturesRow, NamespaceRow)> = on_each!(tx.conn, c => projects::table
        .inner_join(project_features::table)
        .inner_join(namespaces::table)
        .filter(in_ids(projects::id, ids, ProjectId::get))
        .filter(projects::deleting_at.is_null())
        .select((ProjectRow::as_select(), FeaturesRow::as_select(), NamespaceRow::as_select()))
        .load(c))?;
    rows.into_iter().map(placed).collect()
}

/// The full paths of these projects.
pub fn full_paths(tx: &mut ReadTx<'_>, ids: &[ProjectId]) -> StoreResult<HashMap<ProjectId, String>> {
    let rows: Vec<(i64, String, String)> = on_each!(tx.conn, c => projects::table
        .inner_join(namespaces::table)
        .filter(in_ids(projects::id, ids, ProjectId::get))
        .select((projects::id, namespaces::full_path, projects::path))
        .load(c))?;
    Ok(rows.into_iter().map(|(id, home, path)| (ProjectId::new(id), format!("{home}/{path}"))).collect())
}

fn placed((project, features, home): (ProjectRow, FeaturesRow, NamespaceRow)) -> StoreResult<ProjectWithNamespace> {
    Ok(ProjectWithNamespace { project: assemble((project, features))?, home: home.try_into()? })
}

/// The tags of these projects, in alphabetical order.
pub fn tags(tx: &mut ReadTx<'_>, ids: &[ProjectId]) -> StoreResult<HashMap<ProjectId, Vec<String>>> {
    let rows: Vec<(i64, String)> = on_each!(tx.conn, c => project_tags::table
        .filter(in_ids(project_tags::project_id, ids, ProjectId::get))
        .order(project_tags::name)
        .load(c))?;
    let mut found: HashMap<ProjectId, Vec<String>> = HashMap::new();
    for (id, name) in rows {
        found.entry(ProjectId::new(id)).or_default().push(name);
    }
    Ok(found)
}

/// The encrypted token with which runners register.
pub fn sealed_runners_token(tx: &mut ReadTx<'_>, id: ProjectId) -> StoreResult<Option<String>> {
    Ok(projects::table.find(id.get()).select(projects::sealed_runners_token).first(tx.conn).optional()?)
}

/// The sealed address from which a project's repository is to come.
pub fn sealed_import_url(tx: &mut ReadTx<'_>, id: ProjectId) -> StoreResult<Option<String>> {
    let found: Option<Option<String>> =
        projects::table.find(id.get()).select(projects::sealed_import_url).first(tx.conn).optional()?;
    Ok(found.flatten())
}

/// The ids of the projects that come after this one, up to `limit`; those being removed are left out.
pub fn ids_after(tx: &mut ReadTx<'_>, id: ProjectId, limit: i64) -> StoreResult<Vec<ProjectId>> {
    let found: Vec<i64> = projects::table
        .filter(projects::id.gt(id.get()))
        .filter(projects::deleting_at.is_null())
        .order(projects::id)
        .limit(limit)
        .select(projects::id)
        .load(tx.conn)?;
    Ok(found.into_iter().map(ProjectId::new).collect())
}

/// True if there is a project of that id, also one that is being removed.
pub fn has_row(tx: &mut ReadTx<'_>, id: ProjectId) -> StoreResult<bool> {
    Ok(diesel::select(diesel::dsl::exists(projects::table.find(id.get()))).get_result(tx.conn)?)
}

/// The project of that display name in a namespace, also while it is being removed.
pub fn named(tx: &mut ReadTx<'_>, namespace: NamespaceId, name: &str) -> StoreResult<Option<ProjectId>> {
    let query = projects::table
        .filter(projects::namespace_id.eq(namespace.get()))
        .filter(projects::name.eq(name))
        .select(projects::id);
    Ok(query.first(tx.conn).optional()?.map(ProjectId::new))
}

/// Those of these namespaces that have a project of this name.
pub fn with_name(tx: &mut ReadTx<'_>, namespaces: &[NamespaceId], name: &str) -> StoreResult<HashSet<NamespaceId>> {
    let found: Vec<i64> = projects::table
        .filter(in_ids(projects::namespace_id, namespaces, NamespaceId::get))
        .filter(projects::name.eq(name))
        .select(projects::namespace_id)
        .load(tx.conn)?;
    Ok(found.into_iter().map(NamespaceId::new).collect())
}

/// All projects that live in these namespaces, also those being removed.
pub fn ids_in(tx: &mut ReadTx<'_>, namespaces: &[NamespaceId]) -> StoreResult<Vec<ProjectId>> {
    let found: Vec<i64> = projects::table
        .filter(in_ids(projects::namespace_id, namespaces, NamespaceId::get))
        .order(projects::id)
        .select(projects::id)
        .load(tx.conn)?;
    Ok(found.into_iter().map(ProjectId::new).collect())
}

/// The picture of a project, also of one that is being removed.
pub fn avatar(tx: &mut ReadTx<'_>, id: ProjectId) -> StoreResult<Option<Avatar>> {
    let text: Option<Option<String>> =
        projects::table.find(id.get()).select(projects::avatar).first(tx.conn).optional()?;
    Ok(text.flatten().as_deref().and_then(Avatar::parse))
}

//! Namespaces, their paths and who stands above whom.

mod write;

pub use write::{NewNamespace, insert, relocate, remove};

use std::collections::HashMap;

use chrono::{NaiveDate, NaiveDateTime};
use diesel::prelude::*;
use tenon_domain::access::AccessLevel;
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::namespace::Namespace;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::path;
use tenon_domain::search::PlaceSearch;
use tenon_domain::time::Timestamp;

use crate::db::connection::Backend;
use crate::db::expressions::{in_ids, in_texts};
use crate::db::hierarchy::{ancestors, descendants};
use crate::db::paging::page;
use crate::db::row::utc;
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::rows::namespace::{NamespaceRow, searched};
use crate::schema::{former_paths, full_paths, members, namespace_closure, namespaces, projects};

/// The holder of a full path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathHolder {
    /// A user's namespace or a group.
    Namespace(NamespaceId),
    /// A project.
    Project(ProjectId),
}

impl PathHolder {
    /// The project, if it is one.
    #[must_use]
    pub const fn project(self) -> Option<ProjectId> {
        match self {
            Self::Project(id) => Some(id),
            Self::Namespace(_) => None,
        }
    }

    /// The namespace, if it is one.
    #[must_use]
    pub const fn namespace(self) -> Option<NamespaceId> {
        match self {
            Self::Namespace(id) => Some(id),
            Self::Project(_) => None,
        }
    }

    fn of(namespace: Option<i64>, project: Option<i64>) -> Option<Self> {
        match (namespace, project) {
            (Some(id), _) => Some(Self::Namespace(NamespaceId::new(id))),
            (None, Some(id)) => Some(Self::Project(ProjectId::new(id))),
            (None, None) => None,
        }
    }
}

/// The holder of this full path, whatever the case. Things that are being removed keep their path until they are gone.
pub fn holder(tx: &mut ReadTx<'_>, full_path: &str) -> StoreResult<Option<PathHolder>> {
    let found: Option<(Option<i64>, Option<i64>)> = full_paths::table
        .find(path::key(full_path))
        .select((full_paths::namespace_id, full_paths::project_id))
        .first(tx.conn)
        .optional()?;
    Ok(found.and_then(|(namespace, project)| PathHolder::of(namespace, project)))
}

/// The holders of these full paths, whatever their case, by the key of the path ([`path::key`]).
pub fn holders(tx: &mut ReadTx<'_>, paths: &[String]) -> StoreResult<HashMap<String, PathHolder>> {
    let keys: Vec<String> = paths.iter().map(|path| path::key(path)).collect();
    let rows: Vec<(String, Option<i64>, Option<i64>)> = full_paths::table
        .filter(in_texts(full_paths::path_key, &keys))
        .select((full_paths::path_key, full_paths::namespace_id, full_paths::project_id))
        .load(tx.conn)?;
    Ok(by_key(rows))
}

/// The groups and projects that had these full paths before they moved, by the key of the path.
pub fn former_holders(tx: &mut ReadTx<'_>, paths: &[String]) -> StoreResult<HashMap<String, PathHolder>> {
    let keys: Vec<String> = paths.iter().map(|path| path::key(path)).collect();
    let rows: Vec<(String, Option<i64>, Option<i64>)> = former_paths::table
        .filter(in_texts(former_paths::path_key, &keys))
        .select((former_paths::path_key, former_paths::namespace_id, former_paths::project_id))
        .load(tx.conn)?;
    Ok(by_key(rows))
}

fn by_key(rows: Vec<(String, Option<i64>, Option<i64>)>) -> HashMap<String, PathHolder> {
    let holder = |(key, namespace, project)| Some((key, PathHolder::of(namespace, project)?));
    rows.into_iter().filter_map(holder).collect()
}

/// The group or project that had this full path before it moved, whatever the case; `None` if none had, or something else
/// has taken the path.
pub fn former_holder(tx: &mut ReadTx<'_>, full_path: &str) -> StoreResult<Option<PathHolder>> {
    let found: Option<(Option<i64>, Option<i64>)> = former_paths::table
        .filter(former_paths::path_key.eq(path::key(full_path)))
        .select((former_paths::namespace_id, former_paths::project_id))
        .first(tx.conn)
        .optional()?;
    Ok(found.and_then(|(namespace, project)| PathHolder::of(namespace, project)))
}

/// The namespace of that id; `None` also while it is being removed.
pub fn find(tx: &mut ReadTx<'_>, id: NamespaceId) -> StoreResult<Option<Namespace>> {
    let query = namespaces::table.find(id.get()).filter(namespaces::deleting_at.is_null());
    query.select(NamespaceRow::as_select()).first(tx.conn).optional()?.map(TryInto::try_into).transpose()
}

/// When a namespace was made, and when it last changed; also while it is being removed.
pub fn times(tx: &mut ReadTx<'_>, id: NamespaceId) -> StoreResult<Option<(Timestamp, Timestamp)>> {
    let query = namespaces::table.find(id.get()).select((namespaces::created_at, namespaces::updated_at));
    let found: Option<(NaiveDateTime, NaiveDateTime)> = query.first(tx.conn).optional()?;
    Ok(found.map(|(created, updated)| (utc(created), utc(updated))))
}

/// A user's personal namespace.
pub fn of_user(tx: &mut ReadTx<'_>, user: UserId) -> StoreResult<Option<Namespace>> {
    let query = namespaces::table.filter(namespaces::owner_id.eq(user.get()));
    query.select(NamespaceRow::as_select()).first(tx.conn).optional()?.map(TryInto::try_into).transpose()
}

/// A user's personal namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Home {
    /// Its id.
    pub id: NamespaceId,
    /// How many projects are in it.
    pub projects: i64,
}

/// The personal namespaces of these users.
pub fn homes(tx: &mut ReadTx<'_>, users: &[UserId]) -> StoreResult<HashMap<UserId, Home>> {
    let inside = projects::table
        .filter(projects::namespace_id.eq(namespaces::id))
        .filter(projects::deleting_at.is_null())
        .count()
        .single_value();
    let rows: Vec<(Option<i64>, i64, Option<i64>)> = namespaces::table
        .filter(in_ids(namespaces::owner_id, users, UserId::get))
        .select((namespaces::owner_id, namespaces::id, inside))
        .load(tx.conn)?;
    let home = |id, projects: Option<i64>| Home { id: NamespaceId::new(id), projects: projects.unwrap_or(0) };
    Ok(rows.into_iter().filter_map(|(owner, id, projects)| Some((UserId::new(owner?), home(id, projects)))).collect())
}

/// The namespaces of these ids, by id.
pub fn by_ids(tx: &mut ReadTx<'_>, ids: &[NamespaceId]) -> StoreResult<HashMap<NamespaceId, Namespace>> {
    let rows: Vec<NamespaceRow> = namespaces::table
        .filter(in_ids(namespaces::id, ids, NamespaceId::get))
        .select(NamespaceRow::as_select())
        .load(tx.conn)?;
    rows.into_iter().map(|row| Namespace::try_from(row).map(|found| (found.id, found))).collect()
}

/// How many namespaces stand above this one.
pub fn depth(tx: &mut ReadTx<'_>, id: NamespaceId) -> StoreResult<usize> {
    let above: i64 = ancestors(id.get()).filter(namespace_closure::depth.gt(0)).count().get_result(tx.conn)?;
    Ok(usize::try_from(above).unwrap_or(usize::MAX))
}

/// How many levels there are below this one.
pub fn height(tx: &mut ReadTx<'_>, id: NamespaceId) -> StoreResult<usize> {
    let deepest: Option<i64> =
        descendants(id.get()).select(diesel::dsl::max(namespace_closure::depth)).first(tx.conn)?;
    Ok(usize::try_from(deepest.unwrap_or(0)).unwrap_or(usize::MAX))
}

/// How many bytes the longest full path in or below a namespace has.
pub fn longest_path(tx: &mut ReadTx<'_>, id: NamespaceId) -> StoreResult<usize> {
    let below = descendants(id.get());
    let inside = projects::table.filter(projects::namespace_id.eq_any(below)).select(projects::id);
    let keys: Vec<String> = full_paths::table
        .filter(
            full_paths::namespace_id
                .eq_any(below.select(namespace_closure::descendant_id.nullable()))
                .or(full_paths::project_id.eq_any(inside.select(projects::id.nullable()))),
        )
        .select(full_paths::path_key)
        .load(tx.conn)?;
    Ok(keys.iter().map(String::len).max().unwrap_or(0))
}

/// True if `ancestor` is `descendant` or stands above it.
pub fn is_within(tx: &mut ReadTx<'_>, descendant: NamespaceId, ancestor: NamespaceId) -> StoreResult<bool> {
    let query = namespace_closure::table.find((ancestor.get(), descendant.get()));
    Ok(diesel::select(diesel::dsl::exists(query)).get_result(tx.conn)?)
}

/// The ids of a namespace and of all below it, the deepest first.
pub fn subtree(tx: &mut ReadTx<'_>, id: NamespaceId) -> StoreResult<Vec<NamespaceId>> {
    let ids: Vec<i64> = descendants(id.get())
        .order((namespace_closure::depth.desc(), namespace_closure::descendant_id))
        .load(tx.conn)?;
    Ok(ids.into_iter().map(NamespaceId::new).collect())
}

/// Members of a group and of everything below it, each user once.
pub fn members_with_descendants(
    tx: &mut ReadTx<'_>,
    ids: &[NamespaceId],
    today: NaiveDate,
) -> StoreResult<HashMap<NamespaceId, i64>> {
    let rows: Vec<(i64, i64)> = namespace_closure::table
        .inner_join(members::table.on(members::namespace_id.eq(namespace_closure::descendant_id.nullable())))
        .filter(in_ids(namespace_closure::ancestor_id, ids, NamespaceId::get))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .group_by(namespace_closure::ancestor_id)
        .select((namespace_closure::ancestor_id, diesel::dsl::count(members::user_id).aggregate_distinct()))
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|(id, count)| (NamespaceId::new(id), count)).collect())
}

/// Whose namespaces a list has.
#[derive(Debug, Clone, Copy)]
pub struct Belonging {
    /// The user: their own namespace, and groups of which they are a direct member.
    pub user: UserId,
    /// Only groups in which they have at least this level.
    pub at_least: AccessLevel,
    /// Memberships that end on or before this day have ended.
    pub today: NaiveDate,
}

/// One page of namespaces by id: all of them, or those that belong to one user.
pub fn list(
    tx: &mut ReadTx<'_>,
    belonging: Option<Belonging>,
    search: Option<&PlaceSearch>,
    request: PageRequest,
) -> StoreResult<Page<Namespace>> {
    let filtered = || {
        let mut query = namespaces::table.filter(namespaces::deleting_at.is_null()).into_boxed::<Backend>();
        if let Some(Belonging { user, at_least, today }) = belonging {
            let groups = members::table
                .filter(members::user_id.eq(user.get()))
                .filter(members::access_level.ge(at_least.value()))
                .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
                .filter(members::namespace_id.is_not_null())
                .select(members::namespace_id.assume_not_null());
            let own = namespaces::owner_id.eq(user.get()).assume_not_null();
            query = query.filter(own.or(namespaces::id.eq_any(groups)));
        }
        if let Some(condition) = search.and_then(searched) {
            query = query.filter(condition);
        }
        query
    };
    let total = filtered().count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let rows: Vec<NamespaceRow> = filtered()
            .order(namespaces::id)
            .limit(limit)
            .offset(offset)
            .select(NamespaceRow::as_select())
            .load(tx.conn)?;
        rows.into_iter().map(TryInto::try_into).collect()
    })
}

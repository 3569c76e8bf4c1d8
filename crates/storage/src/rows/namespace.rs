//! The row of a user's namespace or a group.

use diesel::prelude::*;
use tenon_domain::avatar::Avatar;
use tenon_domain::id::{NamespaceId, UserId};
use tenon_domain::namespace::{Creation, CreationLevel, Namespace, NamespaceKind};
use tenon_domain::search::PlaceSearch;
use tenon_domain::visibility::Visibility;

use crate::db::predicate::{Condition, matches, tested};
use crate::db::row::parsed;
use crate::error::{StoreError, StoreResult};
use crate::schema::{full_paths, namespaces};

#[derive(Queryable, Selectable)]
#[diesel(table_name = namespaces)]
pub(crate) struct NamespaceRow {
    id: i64,
    kind: String,
    parent_id: Option<i64>,
    owner_id: Option<i64>,
    name: String,
    path: String,
    full_path: String,
    full_name: String,
    visibility: String,
    project_creation_level: String,
    subgroup_creation_level: String,
    avatar: Option<String>,
    ip_ranges: Option<String>,
}

impl TryFrom<NamespaceRow> for Namespace {
    type Error = StoreError;

    fn try_from(row: NamespaceRow) -> StoreResult<Self> {
        let level = |column, word: &str| parsed("namespaces", column, row.id, word, CreationLevel::parse);
        Ok(Self {
            id: NamespaceId::new(row.id),
            kind: parsed("namespaces", "kind", row.id, &row.kind, NamespaceKind::parse)?,
            owner: row.owner_id.map(UserId::new),
            parent: row.parent_id.map(NamespaceId::new),
            name: row.name,
            path: row.path,
            full_path: row.full_path,
            full_name: row.full_name,
            visibility: parsed("namespaces", "visibility", row.id, &row.visibility, Visibility::parse)?,
            creation: Creation {
                projects: level("project_creation_level", &row.project_creation_level)?,
                subgroups: level("subgroup_creation_level", &row.subgroup_creation_level)?,
            },
            avatar: row.avatar.as_deref().and_then(Avatar::parse),
            ip_ranges: row.ip_ranges,
        })
    }
}

/// The namespaces that a search finds: by name and path, and the one that has the text as its full path.
pub(crate) fn searched(search: &PlaceSearch) -> Option<Condition<namespaces::table>> {
    let words = matches(&search.words, &[tested!(namespaces::name), tested!(namespaces::path)]);
    let whole = search.full_path.as_ref().map(|path| -> Condition<namespaces::table> {
        let holder = full_paths::table
            .filter(full_paths::path_key.eq(path.clone()))
            .filter(full_paths::namespace_id.is_not_null())
            .select(full_paths::namespace_id.assume_not_null());
        Box::new(namespaces::id.eq_any(holder))
    });
    words.into_iter().chain(whole).reduce(|any, next| Box::new(any.or(next)))
}

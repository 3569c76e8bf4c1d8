//! Groups and projects opened to the members of other groups.

use std::collections::HashMap;

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::id::{NamespaceId, ProjectId};
use tenon_domain::member::Share;
use tenon_domain::time::Timestamp;

use crate::db::expressions::in_ids;
use crate::db::row::naive;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::rows::container::{columns, container};
use crate::schema::{namespaces, shares};

/// A share with the group's names, as projects and groups show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShareView {
    /// The share.
    pub share: Share,
    /// The group's display name.
    pub group_name: String,
    /// The group's full path.
    pub group_full_path: String,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = shares)]
struct ShareRow {
    id: i64,
    namespace_id: Option<i64>,
    project_id: Option<i64>,
    group_id: i64,
    access_level: i64,
    expires_at: Option<NaiveDate>,
}

impl TryFrom<ShareRow> for Share {
    type Error = StoreError;

    fn try_from(row: ShareRow) -> StoreResult<Self> {
        let container = container("shares", row.id, row.project_id, row.namespace_id)?;
        let level = AccessLevel::from_value(row.access_level).ok_or_else(|| StoreError::Inconsistent {
            table: "shares",
            column: "access_level",
            id: row.id,
            value: row.access_level.to_string(),
        })?;
        Ok(Self { id: row.id, container, group: NamespaceId::new(row.group_id), level, expires_at: row.expires_at })
    }
}

/// The shares of these projects, expired ones left out, oldest first.
pub fn of_projects(
    tx: &mut ReadTx<'_>,
    projects: &[ProjectId],
    today: NaiveDate,
) -> StoreResult<HashMap<ProjectId, Vec<ShareView>>> {
    let rows: Vec<(ShareRow, String, String)> = shares::table
        .inner_join(namespaces::table.on(namespaces::id.eq(shares::group_id)))
        .filter(in_ids(shares::project_id, projects, ProjectId::get))
        .filter(shares::expires_at.is_null().or(shares::expires_at.gt(today)))
        .filter(namespaces::deleting_at.is_null())
        .order(shares::id)
        .select((ShareRow::as_select(), namespaces::name, namespaces::full_path))
        .load(tx.conn)?;
    let mut found: HashMap<ProjectId, Vec<ShareView>> = HashMap::new();
    for (row, group_name, group_full_path) in rows {
        let share = Share::try_from(row)?;
        if let Container::Project(project) = share.container {
            found.entry(project).or_default().push(ShareView { share, group_name, group_full_path });
        }
    }
    Ok(found)
}

/// The shares of a group, expired ones left out, oldest first.
pub fn of_group(tx: &mut ReadTx<'_>, group: NamespaceId, today: NaiveDate) -> StoreResult<Vec<ShareView>> {
    let rows: Vec<(ShareRow, String, String)> = shares::table
        .inner_join(namespaces::table.on(namespaces::id.eq(shares::group_id)))
        .filter(shares::namespace_id.eq(group.get()))
        .filter(shares::expires_at.is_null().or(shares::expires_at.gt(today)))
        .filter(namespaces::deleting_at.is_null())
        .order(shares::id)
        .select((ShareRow::as_select(), namespaces::name, namespaces::full_path))
        .load(tx.conn)?;
    rows.into_iter()
        .map(|(row, group_name, group_full_path)| Ok(ShareView { share: row.try_into()?, group_name, group_full_path }))
        .collect()
}

/// How many groups a project or group is opened to, ended shares included.
pub fn count(tx: &mut ReadTx<'_>, container: Container) -> StoreResult<i64> {
    Ok(match container {
        Container::Project(id) => shares::table.filter(shares::project_id.eq(id.get())).count().get_result(tx.conn)?,
        Container::Group(id) => shares::table.filter(shares::namespace_id.eq(id.get())).count().get_result(tx.conn)?,
    })
}

/// Opens `container` to the members of `group`; yields the new share's id. An expired share of the same pair is
/// replaced; fails with [`crate::UniqueKey::Share`] if a valid one stands.
pub fn insert(
    tx: &mut WriteTx<'_>,
    container: Container,
    group: NamespaceId,
    level: AccessLevel,
    expires_at: Option<NaiveDate>,
    at: Timestamp,
) -> StoreResult<i64> {
    let (project, namespace) = columns(container);
    let expired = shares::table.filter(shares::group_id.eq(group.get())).filter(shares::expires_at.le(at.date_naive()));
    match container {
        Container::Group(id) => diesel::delete(expired.filter(shares::namespace_id.eq(id.get()))).execute(tx.conn)?,
        Container::Project(id) => diesel::delete(expired.filter(shares::project_id.eq(id.get()))).execute(tx.conn)?,
    };
    let id = diesel::insert_into(shares::table)
        .values((
            shares::namespace_id.eq(namespace),
            shares::project_id.eq(project),
            shares::group_id.eq(group.get()),
            shares::access_level.eq(level.value()),
            shares::expires_at.eq(expires_at),
            shares::created_at.eq(naive(at)),
        ))
        .returning(shares::id)
        .get_result(tx.conn)?;
    Ok(id)
}

/// Closes `container` to the members of `group`; yields whether it was open.
pub fn delete(tx: &mut WriteTx<'_>, container: Container, group: NamespaceId) -> StoreResult<bool> {
    let with_group = shares::table.filter(shares::group_id.eq(group.get()));
    let deleted = match container {
        Container::Group(id) => {
            diesel::delete(with_group.filter(shares::namespace_id.eq(id.get()))).execute(tx.conn)?
        }
        Container::Project(id) => {
            diesel::delete(with_group.filter(shares::project_id.eq(id.get()))).execute(tx.conn)?
        }
    };
    Ok(deleted > 0)
}

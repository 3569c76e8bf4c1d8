//! The direct memberships of one user.

use chrono::NaiveDate;
use diesel::IntoSql;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::page::{Page, PageRequest};

use crate::db::paging::page;
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::schema::{members, namespaces, projects};

/// Of what kind memberships are wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MembershipKind {
    /// Of both.
    #[default]
    Any,
    /// In projects.
    Project,
    /// In groups.
    Group,
}

/// One direct membership of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// In what.
    pub container: Container,
    /// The display name of that.
    pub name: String,
    /// With what level.
    pub level: AccessLevel,
}

/// Group and project, their names, and the level.
type Row = (Option<i64>, Option<i64>, Option<String>, Option<String>, i64);

/// The unexpired direct memberships of a user, oldest first, in what is not being removed.
pub fn of_user(
    tx: &mut ReadTx<'_>,
    user: UserId,
    kind: MembershipKind,
    today: NaiveDate,
    request: PageRequest,
) -> StoreResult<Page<Membership>> {
    let (groups, in_projects) = (kind != MembershipKind::Project, kind != MembershipKind::Group);
    let all = || {
        members::table
            .left_join(namespaces::table.on(members::namespace_id.eq(namespaces::id.nullable())))
            .left_join(projects::table.on(members::project_id.eq(projects::id.nullable())))
            .filter(members::user_id.eq(user.get()))
            .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
            .filter(namespaces::deleting_at.is_null())
            .filter(projects::deleting_at.is_null())
            .filter(members::namespace_id.is_null().or(groups.into_sql::<Bool>()))
            .filter(members::project_id.is_null().or(in_projects.into_sql::<Bool>()))
    };
    let total = all().count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let rows: Vec<Row> = all()
            .order(members::id)
            .limit(limit)
            .offset(offset)
            .select((
                members::namespace_id,
                members::project_id,
                namespaces::name.nullable(),
                projects::name.nullable(),
                members::access_level,
            ))
            .load(tx.conn)?;
        let membership = |(group, project, group_name, project_name, level): Row| {
            let container = match (group, project) {
                (Some(id), _) => Container::Group(NamespaceId::new(id)),
                (None, project) => Container::Project(ProjectId::new(project?)),
            };
            let name = group_name.or(project_name).unwrap_or_default();
            Some(Membership { container, name, level: AccessLevel::from_value(level)? })
        };
        Ok(rows.into_iter().filter_map(membership).collect())
    })
}

/// The highest level of a user's unexpired direct memberships; `None` if there are none.
pub fn highest_level(tx: &mut ReadTx<'_>, user: UserId, today: NaiveDate) -> StoreResult<Option<AccessLevel>> {
    let level: Option<i64> = members::table
        .filter(members::user_id.eq(user.get()))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .select(diesel::dsl::max(members::access_level))
        .first(tx.conn)?;
    Ok(level.and_then(AccessLevel::from_value))
}

//! Memberships in groups and projects.

use std::collections::HashMap;

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::member::Member;

use crate::db::connection::Backend;
use crate::db::expressions::{in_ids, in_subquery};
use crate::db::hierarchy::above;
use crate::db::row::{Moment, naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::rows::container::{columns, container};
use crate::schema::{members, namespace_closure, namespaces, shares, users};

#[derive(Queryable, Selectable)]
#[diesel(table_name = members)]
struct MemberRow {
    id: i64,
    namespace_id: Option<i64>,
    project_id: Option<i64>,
    user_id: i64,
    access_level: i64,
    expires_at: Option<NaiveDate>,
    created_at: Moment,
    created_by_id: Option<i64>,
    updated_at: Moment,
}

impl TryFrom<MemberRow> for Member {
    type Error = StoreError;

    fn try_from(row: MemberRow) -> StoreResult<Self> {
        Ok(Self {
            container: container("members", row.id, row.project_id, row.namespace_id)?,
            user: UserId::new(row.user_id),
            level: AccessLevel::from_value(row.access_level).ok_or_else(|| StoreError::Inconsistent {
                table: "members",
                column: "access_level",
                id: row.id,
                value: row.access_level.to_string(),
            })?,
            expires_at: row.expires_at,
            created_at: utc(row.created_at),
            created_by: row.created_by_id.map(UserId::new),
            updated_at: utc(row.updated_at),
        })
    }
}

type Query<'a> = members::BoxedQuery<'a, Backend>;

fn of<'a>(container: Container) -> Query<'a> {
    let query = members::table.into_boxed::<Backend>();
    match container {
        Container::Group(id) => query.filter(members::namespace_id.eq(id.get())),
        Container::Project(id) => query.filter(members::project_id.eq(id.get())),
    }
}

/// The direct membership of a user, expired or not.
pub fn find(tx: &mut ReadTx<'_>, container: Container, user: UserId) -> StoreResult<Option<Member>> {
    let query = of(container).filter(members::user_id.eq(user.get())).select(MemberRow::as_select());
    query.first(tx.conn).optional()?.map(TryInto::try_into).transpose()
}

/// How many direct memberships a project or group has, ended ones included.
pub fn count(tx: &mut ReadTx<'_>, container: Container) -> StoreResult<i64> {
    Ok(match container {
        Container::Project(id) => {
            members::table.filter(members::project_id.eq(id.get())).count().get_result(tx.conn)?
        }
        Container::Group(id) => {
            members::table.filter(members::namespace_id.eq(id.get())).count().get_result(tx.conn)?
        }
    })
}

/// How many groups a user has made and still owns, counted up to `limit`: those to which the user belongs since they were made.
/// Groups of which another has made the user an owner are not among them.
pub fn count_groups_made(tx: &mut ReadTx<'_>, user: UserId, limit: i64) -> StoreResult<i64> {
    let found: Vec<i64> = members::table
        .inner_join(namespaces::table.on(members::namespace_id.eq(namespaces::id.nullable())))
        .filter(members::user_id.eq(user.get()))
        .filter(members::access_level.eq(AccessLevel::Owner.value()))
        .filter(members::created_at.eq(namespaces::created_at))
        .filter(namespaces::deleting_at.is_null())
        .select(members::id)
        .limit(limit)
        .load(tx.conn)?;
    Ok(i64::try_from(found.len()).unwrap_or(i64::MAX))
}

/// All unexpired direct memberships, oldest first.
pub fn direct(tx: &mut ReadTx<'_>, container: Container, today: NaiveDate) -> StoreResult<Vec<Member>> {
    let query = of(container).filter(members::expires_at.is_null().or(members::expires_at.gt(today)));
    load(tx, query)
}

/// All unexpired memberships that reach `namespace`, and `project` in it if one is given: direct and inherited. A user
/// stands there once for each of them.
pub fn effective(
    tx: &mut ReadTx<'_>,
    namespace: NamespaceId,
    project: Option<ProjectId>,
    today: NaiveDate,
) -> StoreResult<Vec<Member>> {
    let query = members::table
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .filter(
            members::project_id
                .eq(project.map_or(0, ProjectId::get))
                .or(in_subquery(members::namespace_id, above!(namespace.get()))),
        )
        .into_boxed::<Backend>();
    load(tx, query)
}

/// The users who are members of `namespace`, or of a project in it, by itself or from above, with at least this level; `limit`
/// at most.
pub fn with_level(
    tx: &mut ReadTx<'_>,
    (namespace, project): (NamespaceId, Option<ProjectId>),
    level: AccessLevel,
    today: NaiveDate,
    limit: i64,
) -> StoreResult<Vec<UserId>> {
    let ids: Vec<i64> = members::table
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .filter(
            members::project_id
                .eq(project.map_or(0, ProjectId::get))
                .or(in_subquery(members::namespace_id, above!(namespace.get()))),
        )
        .filter(members::access_level.ge(level.value()))
        .select(members::user_id)
        .distinct()
        .order(members::user_id)
        .limit(limit)
        .load(tx.conn)?;
    Ok(ids.into_iter().map(UserId::new).collect())
}

/// The groups whose members reach `namespace` and `project` through shares.
pub fn invited_groups(
    tx: &mut ReadTx<'_>,
    namespace: NamespaceId,
    project: Option<ProjectId>,
    today: NaiveDate,
) -> StoreResult<Vec<NamespaceId>> {
    let ids: Vec<i64> = shares::table
        .filter(
            shares::project_id
                .eq(project.map_or(0, ProjectId::get))
                .or(in_subquery(shares::namespace_id, above!(namespace.get()))),
        )
        .filter(shares::expires_at.is_null().or(shares::expires_at.gt(today)))
        .select(shares::group_id)
        .load(tx.conn)?;
    Ok(ids.into_iter().map(NamespaceId::new).collect())
}

/// The memberships that reach `namespace` and `project` through shares with these `groups`, each with its level cut down
/// to the share's.
pub fn through_shares(
    tx: &mut ReadTx<'_>,
    namespace: NamespaceId,
    project: Option<ProjectId>,
    groups: &[NamespaceId],
    today: NaiveDate,
) -> StoreResult<Vec<Member>> {
    if groups.is_empty() {
        return Ok(Vec::new());
    }
    let mut rows: Vec<(i64, MemberRow)> = shares::table
        .inner_join(namespace_closure::table.on(namespace_closure::descendant_id.eq(shares::group_id)))
        .inner_join(members::table.on(members::namespace_id.eq(namespace_closure::ancestor_id.nullable())))
        .filter(
            shares::project_id
                .eq(project.map_or(0, ProjectId::get))
                .or(in_subquery(shares::namespace_id, above!(namespace.get()))),
        )
        .filter(in_ids(shares::group_id, groups, NamespaceId::get))
        .filter(shares::expires_at.is_null().or(shares::expires_at.gt(today)))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .select((shares::access_level, MemberRow::as_select()))
        .load(tx.conn)?;
    rows.sort_unstable_by_key(|(_, row)| row.id);
    rows.into_iter()
        .map(|(limit, mut row)| {
            row.access_level = row.access_level.min(limit);
            row.try_into()
        })
        .collect()
}

fn load(tx: &mut ReadTx<'_>, query: Query<'_>) -> StoreResult<Vec<Member>> {
    let mut rows: Vec<MemberRow> = query.select(MemberRow::as_select()).load(tx.conn)?;
    // Asked for in this order, SQLite reads every membership that there is.
    rows.sort_unstable_by_key(|row| row.id);
    rows.into_iter().map(TryInto::try_into).collect()
}

/// How many others than this user own a group directly, with usable accounts and without an end.
pub fn count_other_owners(tx: &mut ReadTx<'_>, group: NamespaceId, user: UserId) -> StoreResult<i64> {
    let people = users::table.filter(users::bot.eq(false));
    let usable = people.filter(users::state.eq("active")).filter(users::deleting_at.is_null()).select(users::id);
    let owners = of(Container::Group(group))
        .filter(members::access_level.eq(AccessLevel::Owner.value()))
        .filter(members::expires_at.is_null())
        .filter(members::user_id.ne(user.get()))
        .filter(members::user_id.eq_any(usable));
    Ok(owners.count().get_result(tx.conn)?)
}

/// The highest membership of a user above `container`, with the name of its group. Of a project's own namespace that is
/// the group it lives in; of a group, the groups above it.
pub fn inherited(
    tx: &mut ReadTx<'_>,
    container: Container,
    namespace: NamespaceId,
    user: UserId,
    today: NaiveDate,
) -> StoreResult<Option<(AccessLevel, String)>> {
    // No group has the number 0.
    let itself = container.group().map_or(0, NamespaceId::get);
    let found: Option<(i64, String)> = members::table
        .inner_join(namespaces::table.on(members::namespace_id.eq(namespaces::id.nullable())))
        .filter(members::user_id.eq(user.get()))
        .filter(in_subquery(members::namespace_id, above!(namespace.get())))
        .filter(members::namespace_id.ne(itself))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .order((members::access_level.desc(), members::id))
        .select((members::access_level, namespaces::name))
        .first(tx.conn)
        .optional()?;
    Ok(found.and_then(|(level, group)| Some((AccessLevel::from_value(level)?, group))))
}

/// The direct levels of a user in these projects.
pub fn direct_in_projects(
    tx: &mut ReadTx<'_>,
    user: UserId,
    projects: &[ProjectId],
    today: NaiveDate,
) -> StoreResult<HashMap<ProjectId, AccessLevel>> {
    let rows: Vec<(Option<i64>, i64)> = members::table
        .filter(members::user_id.eq(user.get()))
        .filter(in_ids(members::project_id, projects, ProjectId::get))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .select((members::project_id, members::access_level))
        .load(tx.conn)?;
    let level = |(id, level): (Option<i64>, i64)| Some((ProjectId::new(id?), AccessLevel::from_value(level)?));
    Ok(rows.into_iter().filter_map(level).collect())
}

/// The levels of a user in these namespaces through memberships in them or above them.
pub fn levels_in_namespaces(
    tx: &mut ReadTx<'_>,
    user: UserId,
    namespaces: &[NamespaceId],
    today: NaiveDate,
) -> StoreResult<HashMap<NamespaceId, AccessLevel>> {
    let rows: Vec<(i64, i64)> = namespace_closure::table
        .inner_join(members::table.on(members::namespace_id.eq(namespace_closure::ancestor_id.nullable())))
        .filter(in_ids(namespace_closure::descendant_id, namespaces, NamespaceId::get))
        .filter(members::user_id.eq(user.get()))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .select((namespace_closure::descendant_id, members::access_level))
        .load(tx.conn)?;
    let mut levels = HashMap::new();
    for (id, level) in rows {
        let Some(level) = AccessLevel::from_value(level) else { continue };
        let highest = levels.entry(NamespaceId::new(id)).or_insert(level);
        *highest = level.max(*highest);
    }
    Ok(levels)
}

/// Stores a new membership. Fails with [`crate::UniqueKey::Member`] if there is one.
pub fn insert(tx: &mut WriteTx<'_>, member: &Member) -> StoreResult<()> {
    let (project, namespace) = columns(member.container);
    diesel::insert_into(members::table)
        .values((
            members::namespace_id.eq(namespace),
            members::project_id.eq(project),
            members::user_id.eq(member.user.get()),
            members::access_level.eq(member.level.value()),
            members::expires_at.eq(member.expires_at),
            members::created_at.eq(naive(member.created_at)),
            members::created_by_id.eq(member.created_by.map(UserId::get)),
            members::updated_at.eq(naive(member.updated_at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Stores level and end of a membership.
pub fn update(tx: &mut WriteTx<'_>, member: &Member) -> StoreResult<()> {
    let changed = (
        members::access_level.eq(member.level.value()),
        members::expires_at.eq(member.expires_at),
        members::updated_at.eq(naive(member.updated_at)),
    );
    let of_user = members::table.filter(members::user_id.eq(member.user.get()));
    match member.container {
        Container::Group(id) => {
            diesel::update(of_user.filter(members::namespace_id.eq(id.get()))).set(changed).execute(tx.conn)?
        }
        Container::Project(id) => {
            diesel::update(of_user.filter(members::project_id.eq(id.get()))).set(changed).execute(tx.conn)?
        }
    };
    Ok(())
}

/// Ends a membership.
pub fn delete(tx: &mut WriteTx<'_>, container: Container, user: UserId) -> StoreResult<()> {
    let of_user = members::table.filter(members::user_id.eq(user.get()));
    match container {
        Container::Group(id) => diesel::delete(of_user.filter(members::namespace_id.eq(id.get()))).execute(tx.conn)?,
        Container::Project(id) => diesel::delete(of_user.filter(members::project_id.eq(id.get()))).execute(tx.conn)?,
    };
    Ok(())
}

/// Memberships that end together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// All of a group or project.
    Of(Container),
    /// All of an account.
    OfUser(UserId),
    /// Those that ended on or before this day.
    Expired(NaiveDate),
}

/// Memberships that end together, `limit` of them at most.
pub fn ending(tx: &mut ReadTx<'_>, which: Ending, limit: i64) -> StoreResult<Vec<Member>> {
    let query = match which {
        Ending::Of(container) => of(container),
        Ending::OfUser(user) => members::table.into_boxed::<Backend>().filter(members::user_id.eq(user.get())),
        Ending::Expired(today) => members::table.into_boxed::<Backend>().filter(members::expires_at.le(today)),
    };
    load(tx, query.limit(limit))
}

/// True if a membership or a share has expired.
pub fn any_expired(tx: &mut ReadTx<'_>, today: NaiveDate) -> StoreResult<bool> {
    let member: Option<NaiveDate> = members::table
        .filter(members::expires_at.le(today))
        .select(members::expires_at.assume_not_null())
        .first(tx.conn)
        .optional()?;
    let share: Option<NaiveDate> = shares::table
        .filter(shares::expires_at.le(today))
        .select(shares::expires_at.assume_not_null())
        .first(tx.conn)
        .optional()?;
    Ok(member.is_some() || share.is_some())
}

/// Removes memberships and shares that ended on or before `today`: tidying up, access has ended without it.
pub fn purge_expired(tx: &mut WriteTx<'_>, today: NaiveDate) -> StoreResult<usize> {
    let members = diesel::delete(members::table.filter(members::expires_at.le(today))).execute(tx.conn)?;
    let shares = diesel::delete(shares::table.filter(shares::expires_at.le(today))).execute(tx.conn)?;
    Ok(members + shares)
}

//! Groups.

mod list;
mod write;

pub use list::{GroupFilter, GroupOrder, GroupSet, list, walk};
pub use write::{lock_sharing_below, mark_deleting, set_ip_ranges_below, update};

use std::collections::HashMap;

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::access::AccessLevel;
use tenon_domain::avatar::Avatar;
use tenon_domain::group::setting::{IP_RANGES, find_setting};
use tenon_domain::group::{Group, InheritedSettings};
use tenon_domain::id::{NamespaceId, UserId};
use tenon_domain::namespace::Namespace;
use tenon_domain::settings::{DefaultBranchProtection, Value, Values};
use tenon_domain::visibility::Visibility;

use crate::db::expressions::in_ids;
use crate::db::hierarchy::{ancestors, descendants};
use crate::db::row::{Moment, utc};
use crate::db::tx::ReadTx;
use crate::error::{StoreError, StoreResult};
use crate::rows::namespace::NamespaceRow;
use crate::rows::setting_value::from_object;
use crate::schema::{members, namespace_closure, namespaces, projects, users};
pub use crate::visibility::filter::visible_groups_of as visible_of;

#[derive(Queryable, Selectable)]
#[diesel(table_name = namespaces)]
pub(crate) struct GroupRow {
    #[diesel(embed)]
    namespace: NamespaceRow,
    description: String,
    lfs_enabled: bool,
    request_access_enabled: bool,
    share_with_group_lock: bool,
    require_two_factor_authentication: bool,
    two_factor_grace_period: i64,
    default_branch_protection: Option<String>,
    created_at: Moment,
    updated_at: Moment,
    settings: String,
}

impl TryFrom<GroupRow> for Group {
    type Error = StoreError;

    fn try_from(row: GroupRow) -> StoreResult<Self> {
        let namespace: Namespace = row.namespace.try_into()?;
        Ok(Self {
            settings: settings(&namespace, &row.settings)?,
            namespace,
            description: row.description,
            lfs_enabled: row.lfs_enabled,
            request_access_enabled: row.request_access_enabled,
            share_with_group_lock: row.share_with_group_lock,
            require_two_factor_authentication: row.require_two_factor_authentication,
            two_factor_grace_period: row.two_factor_grace_period,
            // A text of another version counts as none.
            default_branch_protection: row
                .default_branch_protection
                .as_deref()
                .and_then(DefaultBranchProtection::parse),
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        })
    }
}

/// The settings of a group: those in the object, and the addresses that have a column.
fn settings(group: &Namespace, object: &str) -> StoreResult<Values> {
    let mut values = from_object(find_setting, "namespaces", group.id.get(), object)?;
    if let Some(ranges) = group.ip_ranges.clone().filter(|_| group.parent.is_none()) {
        values.set(&IP_RANGES, Value::Text(ranges));
    }
    Ok(values)
}

/// The settings of the namespace and the groups above it together.
pub fn inherited_settings(tx: &mut ReadTx<'_>, namespace: NamespaceId) -> StoreResult<InheritedSettings> {
    Ok(inherited_settings_of_each(tx, &[namespace])?.remove(&namespace).unwrap_or_default())
}

/// The settings of each of these namespaces and the groups above it together. Those in whose groups nothing was changed are left
/// out.
pub fn inherited_settings_of_each(
    tx: &mut ReadTx<'_>,
    namespaces: &[NamespaceId],
) -> StoreResult<HashMap<NamespaceId, InheritedSettings>> {
    let rows: Vec<(i64, i64, String)> = namespace_closure::table
        .inner_join(namespaces::table.on(namespaces::id.eq(namespace_closure::ancestor_id)))
        .filter(in_ids(namespace_closure::descendant_id, namespaces, NamespaceId::get))
        .filter(namespaces::settings.ne("{}"))
        .order(namespace_closure::depth)
        .select((namespace_closure::descendant_id, namespaces::id, namespaces::settings))
        .load(tx.conn)?;
    let mut found: HashMap<NamespaceId, Vec<(NamespaceId, Values)>> = HashMap::new();
    for (of, id, object) in rows {
        let values = from_object(find_setting, "namespaces", id, &object)?;
        found.entry(NamespaceId::new(of)).or_default().push((NamespaceId::new(id), values));
    }
    Ok(found.into_iter().map(|(of, groups)| (of, InheritedSettings::new(groups))).collect())
}

/// The group of that id; `None` for a personal namespace, and while the group is being removed.
pub fn find(tx: &mut ReadTx<'_>, id: NamespaceId) -> StoreResult<Option<Group>> {
    let query =
        namespaces::table.find(id.get()).filter(namespaces::kind.eq("group")).filter(namespaces::deleting_at.is_null());
    query.select(GroupRow::as_select()).first(tx.conn).optional()?.map(TryInto::try_into).transpose()
}

/// The groups of these ids, by id.
pub fn by_ids(tx: &mut ReadTx<'_>, ids: &[NamespaceId]) -> StoreResult<HashMap<NamespaceId, Group>> {
    let rows: Vec<GroupRow> = namespaces::table
        .filter(in_ids(namespaces::id, ids, NamespaceId::get))
        .select(GroupRow::as_select())
        .load(tx.conn)?;
    rows.into_iter().map(|row| Group::try_from(row).map(|group| (group.id(), group))).collect()
}

/// How the default branches of new projects in a namespace are protected, if it is a group that says so.
pub fn branch_protection(tx: &mut ReadTx<'_>, id: NamespaceId) -> StoreResult<Option<DefaultBranchProtection>> {
    let stored: Option<Option<String>> =
        namespaces::table.find(id.get()).select(namespaces::default_branch_protection).first(tx.conn).optional()?;
    Ok(stored.flatten().as_deref().and_then(DefaultBranchProtection::parse))
}

/// The most open subgroup and the most open project below a group, for the rule that neither may be more open than it.
pub fn most_open_below(tx: &mut ReadTx<'_>, id: NamespaceId) -> StoreResult<(Option<Visibility>, Option<Visibility>)> {
    let groups: Vec<String> = namespaces::table
        .filter(namespaces::id.eq_any(descendants(id.get())))
        .filter(namespaces::id.ne(id.get()))
        .filter(namespaces::deleting_at.is_null())
        .select(namespaces::visibility)
        .distinct()
        .load(tx.conn)?;
    let in_group: Vec<String> = projects::table
        .filter(projects::namespace_id.eq_any(descendants(id.get())))
        .filter(projects::deleting_at.is_null())
        .select(projects::visibility)
        .distinct()
        .load(tx.conn)?;
    let most_open = |found: Vec<String>| found.iter().filter_map(|text| Visibility::parse(text)).max();
    Ok((most_open(groups), most_open(in_group)))
}

/// True if `namespace` or a group above it forbids sharing its projects with groups.
pub fn sharing_is_locked(tx: &mut ReadTx<'_>, namespace: NamespaceId) -> StoreResult<bool> {
    let locked = namespaces::table
        .filter(namespaces::id.eq_any(ancestors(namespace.get())))
        .filter(namespaces::share_with_group_lock.eq(true))
        .select(namespaces::id);
    Ok(diesel::select(diesel::dsl::exists(locked)).get_result(tx.conn)?)
}

/// The groups that would have no owner with a usable account without `user`, who owns them directly: neither another direct
/// owner nor one of a group above.
pub fn solely_owned(tx: &mut ReadTx<'_>, user: UserId, today: NaiveDate) -> StoreResult<Vec<NamespaceId>> {
    let highest = AccessLevel::Owner.value();
    let owned: Vec<Option<i64>> = members::table
        .filter(members::user_id.eq(user.get()))
        .filter(members::access_level.eq(highest))
        .filter(members::namespace_id.is_not_null())
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .order(members::namespace_id)
        .select(members::namespace_id)
        .load(tx.conn)?;
    let owned: Vec<i64> = owned.into_iter().flatten().collect();
    let people = users::table.filter(users::bot.eq(false));
    let usable = people.filter(users::state.eq("active")).filter(users::deleting_at.is_null()).select(users::id);
    let with_others: Vec<i64> = namespace_closure::table
        .inner_join(members::table.on(members::namespace_id.eq(namespace_closure::ancestor_id.nullable())))
        .filter(in_ids(namespace_closure::descendant_id, &owned, std::convert::identity))
        .filter(members::access_level.eq(highest))
        .filter(members::user_id.ne(user.get()))
        .filter(members::user_id.eq_any(usable))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .select(namespace_closure::descendant_id)
        .distinct()
        .load(tx.conn)?;
    Ok(owned.into_iter().filter(|id| !with_others.contains(id)).map(NamespaceId::new).collect())
}

/// The picture of a group, also of one that is being removed.
pub fn avatar(tx: &mut ReadTx<'_>, id: NamespaceId) -> StoreResult<Option<Avatar>> {
    let text: Option<Option<String>> =
        namespaces::table.find(id.get()).select(namespaces::avatar).first(tx.conn).optional()?;
    Ok(text.flatten().as_deref().and_then(Avatar::parse))
}

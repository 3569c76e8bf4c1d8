//! About what users want mail.

#![expect(clippy::ref_option_ref, reason = "what the derive makes of optional columns")]

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::notification_setting::{
    NotificationEvents, NotificationLevel, NotificationScope, NotificationSetting,
};
use tenon_domain::time::Timestamp;

use crate::db::connection::Backend;
use crate::db::expressions::{in_ids, in_ids_large};
use crate::db::hierarchy::ancestors;
use crate::db::row::{naive, parsed};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::{members, namespace_closure, notification_settings};

#[derive(Queryable, Selectable)]
#[diesel(table_name = notification_settings)]
struct SettingRow {
    id: i64,
    level: String,
    events: i64,
    email: Option<String>,
}

impl TryFrom<SettingRow> for NotificationSetting {
    type Error = StoreError;

    fn try_from(row: SettingRow) -> StoreResult<Self> {
        Ok(Self {
            level: parsed("notification_settings", "level", row.id, &row.level, NotificationLevel::parse)?,
            events: NotificationEvents::of_bits(row.events),
            email: row.email,
        })
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = notification_settings, treat_none_as_null = true)]
struct SettingColumns<'a> {
    level: &'static str,
    events: i64,
    email: Option<&'a str>,
    updated_at: NaiveDateTime,
}

type Query<'a> = notification_settings::BoxedQuery<'a, Backend>;

fn of<'a>(user: UserId, scope: NotificationScope) -> Query<'a> {
    let query =
        notification_settings::table.filter(notification_settings::user_id.eq(user.get())).into_boxed::<Backend>();
    match scope {
        NotificationScope::Global => query
            .filter(notification_settings::namespace_id.is_null())
            .filter(notification_settings::project_id.is_null()),
        NotificationScope::Group(id) => query.filter(notification_settings::namespace_id.eq(id.get())),
        NotificationScope::Project(id) => query.filter(notification_settings::project_id.eq(id.get())),
    }
}

/// The setting of a user; `None` if there is none yet.
pub fn find(tx: &mut ReadTx<'_>, user: UserId, scope: NotificationScope) -> StoreResult<Option<NotificationSetting>> {
    let row: Option<SettingRow> = of(user, scope).select(SettingRow::as_select()).first(tx.conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

/// Stores what a user wants now.
pub fn save(
    tx: &mut WriteTx<'_>,
    user: UserId,
    scope: NotificationScope,
    setting: &NotificationSetting,
    at: Timestamp,
) -> StoreResult<()> {
    let columns = SettingColumns {
        level: setting.level.as_str(),
        events: setting.events.bits(),
        email: setting.email.as_deref(),
        updated_at: naive(at),
    };
    let known: Option<i64> = of(user, scope).select(notification_settings::id).first(tx.conn).optional()?;
    if let Some(id) = known {
        diesel::update(notification_settings::table.find(id)).set(columns).execute(tx.conn)?;
        return Ok(());
    }
    let (namespace, project) = match scope {
        NotificationScope::Global => (None, None),
        NotificationScope::Group(id) => (Some(id.get()), None),
        NotificationScope::Project(id) => (None, Some(id.get())),
    };
    diesel::insert_into(notification_settings::table)
        .values((
            notification_settings::user_id.eq(user.get()),
            notification_settings::namespace_id.eq(namespace),
            notification_settings::project_id.eq(project),
            columns,
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// The groups above a project, and the one that it lies in, by their distance.
fn groups_of(tx: &mut ReadTx<'_>, home: NamespaceId) -> StoreResult<HashMap<i64, i64>> {
    let rows: Vec<(i64, i64)> =
        ancestors(home.get()).select((namespace_closure::ancestor_id, namespace_closure::depth)).load(tx.conn)?;
    Ok(rows.into_iter().collect())
}

/// Users who may want to hear of a project that lies in `home` without taking part: by what they say about it or about
/// a group above it; or in general, if they are members. At most `most` of each.
pub fn listeners(tx: &mut ReadTx<'_>, project: ProjectId, home: NamespaceId, most: i64) -> StoreResult<Vec<UserId>> {
    let groups: Vec<i64> = groups_of(tx, home)?.into_keys().collect();
    let number = std::convert::identity::<i64>;
    let listens = || {
        let (watch, custom) = (NotificationLevel::Watch.as_str(), NotificationLevel::Custom.as_str());
        notification_settings::level.eq(watch).or(notification_settings::level.eq(custom))
    };
    let of_project: Vec<i64> = notification_settings::table
        .filter(notification_settings::project_id.eq(project.get()))
        .filter(listens())
        .order(notification_settings::user_id)
        .limit(most)
        .select(notification_settings::user_id)
        .load(tx.conn)?;
    let of_groups: Vec<i64> = notification_settings::table
        .filter(in_ids(notification_settings::namespace_id, &groups, number))
        .filter(listens())
        .order(notification_settings::user_id)
        .limit(most)
        .select(notification_settings::user_id)
        .load(tx.conn)?;
    macro_rules! members_that_listen {
        ($members:expr) => {
            notification_settings::table
                .filter(notification_settings::namespace_id.is_null())
                .filter(notification_settings::project_id.is_null())
                .filter(listens())
                .filter(notification_settings::user_id.eq_any($members.select(members::user_id)))
                .order(notification_settings::user_id)
                .limit(most)
                .select(notification_settings::user_id)
                .load::<i64>(tx.conn)?
        };
    }
    let in_project = members_that_listen!(members::table.filter(members::project_id.eq(project.get())));
    let in_groups = members_that_listen!(members::table.filter(in_ids(members::namespace_id, &groups, number)));
    let members = [in_project, in_groups].concat();
    let mut users: Vec<i64> = [of_project, of_groups, members].concat();
    users.sort_unstable();
    users.dedup();
    Ok(users.into_iter().map(UserId::new).collect())
}

/// The settings of these users about a project that lies in `home`: about the project, about the groups above it, the
/// nearest first, and in general.
pub fn in_order(
    tx: &mut ReadTx<'_>,
    users: &[UserId],
    project: ProjectId,
    home: NamespaceId,
) -> StoreResult<HashMap<UserId, Vec<NotificationSetting>>> {
    type Row = (i64, Option<i64>, Option<i64>, SettingRow);
    let distances = groups_of(tx, home)?;
    let rows: Vec<Row> = notification_settings::table
        .filter(in_ids_large(notification_settings::user_id, users, UserId::get))
        .select((
            notification_settings::user_id,
            notification_settings::project_id,
            notification_settings::namespace_id,
            SettingRow::as_select(),
        ))
        .load(tx.conn)?;
    let mut found: HashMap<UserId, Vec<(i64, NotificationSetting)>> = HashMap::new();
    for (user, of_project, of_group, row) in rows {
        let distance = match (of_project, of_group) {
            (Some(id), _) if id == project.get() => Some(-1),
            (Some(_), _) => None,
            (None, Some(group)) => distances.get(&group).copied(),
            (None, None) => Some(i64::MAX),
        };
        if let Some(distance) = distance {
            found.entry(UserId::new(user)).or_default().push((distance, row.try_into()?));
        }
    }
    let ordered = |mut settings: Vec<(i64, NotificationSetting)>| {
        settings.sort_by_key(|(distance, _)| *distance);
        settings.into_iter().map(|(_, setting)| setting).collect()
    };
    Ok(found.into_iter().map(|(user, settings)| (user, ordered(settings))).collect())
}

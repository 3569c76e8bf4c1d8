//! About what users want mail.

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::UserId;
use tenon_domain::notification_setting::{
    NotificationEvents, NotificationLevel, NotificationScope, NotificationSetting,
};
use tenon_domain::time::Timestamp;

use crate::db::connection::Backend;
use crate::db::row::{naive, parsed};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::notification_settings;

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

/// What a user has said; `None` where nothing yet.
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

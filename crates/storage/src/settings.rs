//! Application settings: a row exists for each that was ever changed, with its value as JSON (docs/adr/0013).

use std::sync::Arc;

use diesel::dsl::{max, min};
use diesel::prelude::*;
use tenon_domain::settings::{Setting, Settings, Value, Values, find};
use tenon_domain::time::Timestamp;

use crate::cache::access_cache::{CacheKey, Weight};
use crate::db::connection::on_each;
use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::rows::setting_value::{from_json, to_json};
use crate::schema::{settings, users};

#[derive(Debug, PartialEq, Eq, Hash)]
struct SettingsInForce;

impl CacheKey for SettingsInForce {
    type Answer = Settings;
}

impl Weight for Settings {
    fn weight(&self) -> usize {
        0
    }
}

/// The settings in force, from memory as long as they are the same.
pub fn load(tx: &mut ReadTx<'_>) -> StoreResult<Arc<Settings>> {
    tx.cached_while_writing(SettingsInForce, |tx| Ok(Settings::of(&values(tx)?)))
}

/// The stored values of all settings; secrets are sealed.
pub fn values(tx: &mut ReadTx<'_>) -> StoreResult<Values> {
    let rows: Vec<(String, String)> = settings::table.select((settings::name, settings::value)).load(tx.conn)?;
    let mut found = Values::default();
    for (name, text) in rows {
        // Another version of this program may have stored settings that this one does not know.
        let Some(setting) = find(&name) else { continue };
        let value = serde_json::from_str(&text).ok().and_then(|value| from_json(setting, value));
        let value = value.ok_or_else(|| StoreError::Inconsistent {
            table: "settings",
            column: "value",
            id: 0,
            value: format!("{name} = {text}"),
        })?;
        found.set(setting, value);
    }
    Ok(found)
}

/// When the server was set up, which is when its first account was made, and when a setting was changed last.
pub fn times(tx: &mut ReadTx<'_>) -> StoreResult<(Option<Timestamp>, Option<Timestamp>)> {
    let first: Option<chrono::NaiveDateTime> = users::table.select(min(users::created_at)).first(tx.conn)?;
    let last: Option<chrono::NaiveDateTime> = settings::table.select(max(settings::updated_at)).first(tx.conn)?;
    Ok((first.map(utc), last.map(utc)))
}

/// Stores the value of one setting.
pub fn set(tx: &mut WriteTx<'_>, setting: &Setting, value: &Value, at: Timestamp) -> StoreResult<()> {
    let text = to_json(value).to_string();
    let changed = (settings::value.eq(&text), settings::updated_at.eq(naive(at)));
    on_each!(tx.conn, c => diesel::insert_into(settings::table)
        .values((settings::name.eq(setting.name), changed))
        .on_conflict(settings::name)
        .do_update()
        .set(changed)
        .execute(c))?;
    tx.forget_revision();
    Ok(())
}

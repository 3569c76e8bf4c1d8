//! Application settings: rows exist only for what differs from the defaults.

use diesel::prelude::*;
use tenon_domain::settings::{BranchProtection, GitAccess, Settings};
use tenon_domain::time::Timestamp;
use tenon_domain::visibility::Visibility;

use crate::cache::access_cache::{CacheKey, Weight};
use crate::db::connection::on_each;
use crate::db::row::naive;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::settings;

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
pub fn load(tx: &mut ReadTx<'_>) -> StoreResult<Settings> {
    Ok(Settings::clone(&*tx.cached_while_writing(SettingsInForce, read)?))
}

fn read(tx: &mut ReadTx<'_>) -> StoreResult<Settings> {
    let rows: Vec<(String, String)> =
        on_each!(tx.conn, c => settings::table.select((settings::name, settings::value)).load(c))?;
    let mut found = Settings::default();
    for (name, text) in rows {
        let inconsistent = || StoreError::Inconsistent {
            table: "settings",
            column: "value",
            id: 0,
            value: format!("{name} = {text}"),
        };
        let value: serde_json::Value = serde_json::from_str(&text).map_err(|_source| inconsistent())?;
        apply(&mut found, &name, &value).ok_or_else(inconsistent)?;
    }
    Ok(found)
}

/// Puts one stored value in its place; `None` where it does not fit. Settings without an effect here are passed over.
fn apply(settings: &mut Settings, name: &str, value: &serde_json::Value) -> Option<()> {
    let visibility = || Visibility::parse(value.as_str()?);
    match name {
        "default_project_visibility" => settings.default_project_visibility = visibility()?,
        "default_group_visibility" => settings.default_group_visibility = visibility()?,
        "default_projects_limit" => settings.default_projects_limit = value.as_i64()?,
        "restricted_visibility_levels" => {
            settings.restricted_visibility_levels = match value {
                serde_json::Value::Null => None,
                list => Some(list.as_array()?.iter().map(|it| Visibility::parse(it.as_str()?)).collect::<Option<_>>()?),
            };
        }
        "user_default_external" => settings.user_default_external = value.as_bool()?,
        "avatarservice_enabled" => settings.avatarservice_enabled = value.as_bool()?,
        "max_attachment_size" => settings.max_attachment_size = value.as_i64()?,
        "allow_local_requests_from_hooks_and_services" => {
            settings.allow_local_requests_from_hooks_and_services = value.as_bool()?;
        }
        "shared_runners_enabled" => settings.shared_runners_enabled = value.as_bool()?,
        "default_branch_protection" => {
            settings.default_branch_protection = BranchProtection::from_value(value.as_i64()?)?;
        }
        "enabled_git_access_protocol" => {
            settings.enabled_git_access_protocol = match value.as_str() {
                Some("http") => Some(GitAccess::Http),
                Some("ssh") => Some(GitAccess::Ssh),
                _ => None,
            };
        }
        "password_authentication_enabled_for_git" => {
            settings.password_authentication_enabled_for_git = value.as_bool()?;
        }
        _ => {}
    }
    Some(())
}

/// Stores one setting.
pub fn set(tx: &mut WriteTx<'_>, name: &str, value: &serde_json::Value, at: Timestamp) -> StoreResult<()> {
    let text = value.to_string();
    let changed = (settings::value.eq(&text), settings::updated_at.eq(naive(at)));
    on_each!(tx.conn, c => diesel::insert_into(settings::table)
        .values((settings::name.eq(name), changed))
        .on_conflict(settings::name)
        .do_update()
        .set(changed)
        .execute(c))?;
    tx.forget_revision();
    Ok(())
}

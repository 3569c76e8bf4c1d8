//! Application settings. Administrators only.

use tenon_domain::event::EventKind;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::session::lifetime;
use tenon_domain::settings::{self, Changes, Kind, Setting, Value, Values};
use tenon_domain::time::Timestamp;
use tenon_git::BranchName;
use tenon_storage::session;
use url::Url;

use crate::core::app::{App, Command, Query};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::core::pattern::pattern;

pub use tenon_domain::settings::page;

/// All settings, as an administrator sees them.
#[derive(Debug, Clone)]
pub struct SettingsView {
    /// Their values; secrets are open.
    pub values: Values,
    /// When the server was set up.
    pub created_at: Timestamp,
    /// When a setting was changed last.
    pub updated_at: Timestamp,
}

/// All settings.
pub fn show(query: &mut Query<'_>) -> Result<SettingsView, AppError> {
    if !query.is_admin() {
        return Err(AppError::Forbidden);
    }
    let (first, last) = tenon_storage::settings::times(&mut query.tx)?;
    let created_at = first.unwrap_or(query.now);
    let updated_at = last.map_or(created_at, |last| last.max(created_at));
    Ok(SettingsView { values: opened(query)?, created_at, updated_at })
}

/// Changes settings: all of them, or none if one cannot be. This process acts on them when it returns.
pub async fn change(app: &App, identity: &Identity, changes: Changes) -> Result<SettingsView, AppError> {
    let view = app.write(identity, move |command| change_now(command, &changes)).await?;
    let refreshing = app.clone();
    if let Err(error) = app.on_reader(move || refreshing.refresh_settings()).await {
        // They are read again within a second.
        tracing::warn!(%error, "changed settings could not be read");
    }
    Ok(view)
}

fn change_now(command: &mut Command<'_>, changes: &[(&'static Setting, Value)]) -> Result<SettingsView, AppError> {
    if !command.query().is_admin() {
        return Err(AppError::Forbidden);
    }
    let before = opened(&mut command.query())?;
    let mut after = before.clone();
    for (setting, value) in changes {
        after.set(setting, value.clone());
    }
    let mut errors = settings::check(changes, &after);
    for (setting, value) in changes {
        check_text(&mut errors, setting, value);
    }
    errors.into_result()?;
    let effective: Vec<_> = changes.iter().filter(|(setting, value)| *before.of(setting) != *value).collect();
    for (setting, value) in &effective {
        let stored = sealed(command, setting, value)?;
        tenon_storage::settings::set(&mut command.tx, setting, &stored, command.now)?;
    }
    if effective.iter().any(|(setting, _)| setting.name == "session_expire_delay") {
        let delay = command.query().settings()?.session_expire_delay;
        for remembered in [false, true] {
            session::end_by(&mut command.tx, remembered, command.now + lifetime(delay, remembered))?;
        }
    }
    if !effective.is_empty() {
        let mut event = command.event(EventKind::SettingsChanged);
        event.detail = Some(effective.iter().map(|(setting, _)| setting.name).collect::<Vec<_>>().join(" "));
        command.append(&event)?;
    }
    show(&mut command.query())
}

/// Notes what only a parser finds out.
fn check_text(errors: &mut FieldErrors, setting: &Setting, value: &Value) {
    match (setting.kind, value) {
        (Kind::Url, Value::Text(text)) => {
            if let Some(problem) = url_problem(text) {
                errors.add(setting.name, problem);
            }
        }
        (Kind::Pattern(_), Value::Text(text)) => {
            errors.require(pattern(text).is_some(), setting.name, "is not a valid regular expression");
        }
        (Kind::Branch, Value::Text(text)) => {
            errors.require(BranchName::parse(text).is_ok(), setting.name, "is invalid");
        }
        _ => {}
    }
}

/// The problem of an address that browsers are sent to. The server itself calls none of them, so that they may be
/// local.
fn url_problem(text: &str) -> Option<&'static str> {
    const UNREADABLE: &str = "is blocked: URI is invalid";
    if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Some(UNREADABLE);
    }
    let Ok(url) = Url::parse(text) else { return Some(UNREADABLE) };
    if !matches!(url.scheme(), "http" | "https") {
        return Some("is blocked: Only allowed protocols are http, https");
    }
    let is_plain = url.has_host() && url.username().is_empty() && url.password().is_none();
    (!is_plain).then_some(UNREADABLE)
}

/// The values of all settings, with open secrets.
fn opened(query: &mut Query<'_>) -> Result<Values, AppError> {
    let mut values = tenon_storage::settings::values(&mut query.tx)?;
    for setting in settings::all().filter(|setting| setting.is_secret()) {
        let Value::Text(sealed) = values.of(setting).into_owned() else { continue };
        let open = match query.app.vault().open(&sealed) {
            Ok(text) => Value::Text(text),
            // Administrators can still give it another value.
            Err(error) => {
                tracing::warn!(%error, setting = setting.name, "a secret setting counts as not set");
                Value::Null
            }
        };
        values.set(setting, open);
    }
    Ok(values)
}

fn sealed(command: &Command<'_>, setting: &Setting, value: &Value) -> Result<Value, AppError> {
    match value {
        Value::Text(text) if setting.is_secret() => {
            let sealed = command.app.vault().seal(command.app.entropy(), text).map_err(AppError::internal)?;
            Ok(Value::Text(sealed))
        }
        other => Ok(other.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_web_addresses_are_taken() {
        for good in ["https://example.org", "http://localhost:8080/a?b=c", "http://10.0.0.1/"] {
            assert_eq!(url_problem(good), None, "{good}");
        }
        for (bad, problem) in [
            ("javascript:alert(1)", "is blocked: Only allowed protocols are http, https"),
            ("data:text/html,x", "is blocked: Only allowed protocols are http, https"),
            ("/relative", "is blocked: URI is invalid"),
            ("//example.org", "is blocked: URI is invalid"),
            ("http://", "is blocked: URI is invalid"),
            ("http://a\r\nb", "is blocked: URI is invalid"),
            ("http://user:pw@example.org", "is blocked: URI is invalid"),
            (" https://example.org", "is blocked: URI is invalid"),
        ] {
            assert_eq!(url_problem(bad), Some(problem), "{bad}");
        }
    }
}

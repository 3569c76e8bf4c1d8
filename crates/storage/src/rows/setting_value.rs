//! Values of settings as stored JSON.

use tenon_domain::settings::{Setting, Value, Values};

use crate::error::{StoreError, StoreResult};

/// A value as JSON.
pub(crate) fn to_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Switch(on) => (*on).into(),
        Value::Number(number) => (*number).into(),
        Value::Text(text) => text.as_str().into(),
        Value::List(items) => items.as_slice().into(),
    }
}

/// The value behind stored JSON; `None` if the setting cannot have it.
pub(crate) fn from_json(setting: &Setting, json: serde_json::Value) -> Option<Value> {
    let value = match json {
        serde_json::Value::Null if setting.is_nullable() => return Some(Value::Null),
        serde_json::Value::Null | serde_json::Value::Object(_) => return None,
        serde_json::Value::Bool(on) => Value::Switch(on),
        serde_json::Value::Number(number) => Value::Number(number.as_i64()?),
        serde_json::Value::String(text) => Value::Text(text),
        serde_json::Value::Array(items) => {
            let text = |item: serde_json::Value| item.as_str().map(ToOwned::to_owned);
            Value::List(items.into_iter().map(text).collect::<Option<_>>()?)
        }
    };
    setting.kind.admits(&value).then_some(value)
}

/// The settings of a project or group as they are stored: an object of those that are not the defaults, without those that have
/// columns of their own.
pub(crate) fn to_object(values: &Values, without: &[&Setting]) -> String {
    let changed = values.changed().filter(|(name, _)| without.iter().all(|setting| setting.name != *name));
    let object: serde_json::Map<_, _> = changed.map(|(name, value)| (name.to_owned(), to_json(value))).collect();
    serde_json::Value::Object(object).to_string()
}

/// The settings behind the object that row `id` of `table` stores. `find` gives the setting of a name.
pub(crate) fn from_object(
    find: fn(&str) -> Option<&'static Setting>,
    table: &'static str,
    id: i64,
    text: &str,
) -> StoreResult<Values> {
    let mut found = Values::default();
    // Most have the defaults.
    if text == "{}" {
        return Ok(found);
    }
    let inconsistent = || StoreError::Inconsistent { table, column: "settings", id, value: text.to_owned() };
    let object: serde_json::Map<_, _> = serde_json::from_str(text).map_err(|_no_object| inconsistent())?;
    for (name, value) in object {
        // Another version of this program may have stored settings that this one does not know.
        let Some(setting) = find(&name) else { continue };
        found.set(setting, from_json(setting, value).ok_or_else(inconsistent)?);
    }
    Ok(found)
}

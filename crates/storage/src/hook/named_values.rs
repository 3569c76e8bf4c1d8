//! The named secrets of hooks as a column: a JSON list, in their order.

use serde_json::{Value, json};
use tenon_domain::hook::NamedValue;

/// The text of a column. A value stays encrypted.
pub(super) fn to_column(values: &[NamedValue]) -> String {
    Value::Array(values.iter().map(|value| json!({ "key": value.key, "sealed": value.sealed })).collect()).to_string()
}

/// The secrets in a column; none if it cannot be read.
pub(super) fn from_column(text: &str) -> Vec<NamedValue> {
    let known = |value: &Value| {
        let text = |name| value.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(NamedValue { key: text("key")?, sealed: text("sealed")? })
    };
    match serde_json::from_str(text) {
        Ok(Value::Array(values)) => values.iter().filter_map(known).collect(),
        Ok(_) | Err(_) => Vec::new(),
    }
}

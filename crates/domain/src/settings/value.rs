//! Values of settings.

use std::collections::BTreeMap;
use std::fmt;

use super::setting::Setting;
use super::table;

/// The value of one setting. Decimals are texts, as the API writes them.
#[derive(Clone, PartialEq, Eq)]
pub enum Value {
    /// No value.
    Null,
    /// On or off.
    Switch(bool),
    /// A whole number.
    Number(i64),
    /// A text, a word or a decimal.
    Text(String),
    /// A list.
    List(Vec<String>),
}

/// Texts may be secrets: only their length is shown.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("Null"),
            Self::Switch(on) => write!(f, "Switch({on})"),
            Self::Number(number) => write!(f, "Number({number})"),
            Self::Text(text) => write!(f, "Text({} bytes)", text.len()),
            Self::List(items) => f.debug_tuple("List").field(items).finish(),
        }
    }
}

impl Value {
    /// Whether it says nothing: no value, or a text of white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Text(text) => text.trim().is_empty(),
            Self::List(items) => items.is_empty(),
            Self::Switch(_) | Self::Number(_) => false,
        }
    }
}

/// The values that an administrator asks for, with their settings, in the order of the table.
pub type Changes = Vec<(&'static Setting, Value)>;

/// The values of all settings: those that were changed, and the defaults of all others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values(BTreeMap<&'static str, Value>);

impl Values {
    /// The value of a setting.
    #[must_use]
    pub fn of(&self, setting: &Setting) -> Value {
        self.0.get(setting.name).cloned().unwrap_or_else(|| setting.default.value())
    }

    /// Gives a setting this value.
    pub fn set(&mut self, setting: &'static Setting, value: Value) {
        self.0.insert(setting.name, value);
    }

    /// The value of the setting of that name; null where there is none.
    pub(super) fn named(&self, name: &str) -> Value {
        self.0.get(name).cloned().or_else(|| Some(table::find(name)?.default.value())).unwrap_or(Value::Null)
    }

    pub(super) fn switch(&self, name: &str) -> bool {
        self.named(name) == Value::Switch(true)
    }

    pub(super) fn number(&self, name: &str) -> i64 {
        match self.named(name) {
            Value::Number(number) => number,
            Value::Null | Value::Switch(_) | Value::Text(_) | Value::List(_) => 0,
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        match self.named(name) {
            Value::Text(text) => Some(text).filter(|text| !text.is_empty()),
            Value::Null | Value::Switch(_) | Value::Number(_) | Value::List(_) => None,
        }
    }

    pub(super) fn list(&self, name: &str) -> Option<Vec<String>> {
        match self.named(name) {
            Value::List(items) => Some(items),
            Value::Null | Value::Switch(_) | Value::Number(_) | Value::Text(_) => None,
        }
    }
}

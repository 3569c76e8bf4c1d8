//! The values of all settings.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::branch_protection::DefaultBranchProtection;
use super::setting::{DefaultValue, Setting};
use super::table;
use super::value::Value;

/// The values that an administrator asks for, with their settings, in the order of the table.
pub type Changes = Vec<(&'static Setting, Value)>;

/// The values of all settings: those that were changed, and the defaults of all others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values(BTreeMap<&'static str, Value>);

impl Values {
    /// The value of a setting.
    #[must_use]
    pub fn of(&self, setting: &Setting) -> Cow<'_, Value> {
        self.0.get(setting.name).map_or_else(|| Cow::Owned(setting.default.value()), Cow::Borrowed)
    }

    /// Gives a setting this value.
    pub fn set(&mut self, setting: &Setting, value: Value) {
        if value == setting.default.value() {
            self.0.remove(setting.name);
        } else {
            self.0.insert(setting.name, value);
        }
    }

    /// How the default branches of new projects are protected.
    #[must_use]
    pub fn branch_protection(&self) -> DefaultBranchProtection {
        self.0.get("default_branch_protection").and_then(Value::branch_protection).unwrap_or_default()
    }

    /// The values that are not the defaults, by name.
    pub fn changed(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    /// True if this switch is on.
    #[must_use]
    pub fn is_on(&self, switch: &Setting) -> bool {
        match self.0.get(switch.name) {
            Some(value) => *value == Value::Switch(true),
            None => matches!(switch.default, DefaultValue::Switch(true)),
        }
    }

    /// The text or word of this setting; `None` if it has none, or an empty one.
    #[must_use]
    pub fn text_of(&self, setting: &Setting) -> Option<&str> {
        let text = match (self.0.get(setting.name), setting.default) {
            (Some(Value::Text(text)), _) => text,
            (None, DefaultValue::Text(text)) => text,
            _ => "",
        };
        Some(text).filter(|text| !text.is_empty())
    }

    /// The value of the setting of that name; null if there is none.
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

    /// The number of the setting of that name as a number of things.
    pub(super) fn count(&self, name: &str) -> usize {
        usize::try_from(self.number(name)).unwrap_or(0)
    }

    /// The number of the setting of that name, if it has one that is not 0.
    pub(super) fn number_or_none(&self, name: &str) -> Option<i64> {
        Some(self.number(name)).filter(|number| *number != 0)
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

/// So many units of so many bytes.
pub(super) fn bytes(number: i64, unit: u64) -> u64 {
    u64::try_from(number).unwrap_or(0).saturating_mul(unit)
}

/// Checks a table: its names and these others are unique, and its defaults are values of their kinds.
#[cfg(test)]
pub(crate) fn assert_valid(table: &[Setting], others: &[&'static str]) {
    let own = table.iter().flat_map(|setting| setting.names().into_iter().chain(setting.opposite));
    let mut names = std::collections::HashSet::new();
    for name in own.chain(others.iter().copied()) {
        assert!(names.insert(name), "{name} stands twice");
    }
    for setting in table {
        let values = Values::default();
        let value = values.of(setting);
        let is_typed = setting.kind.admits(&value) || (*value == Value::Null && setting.is_nullable());
        assert!(is_typed && setting.kind.problem(&value).is_none(), "{}", setting.name);
        assert!(setting.opposite.is_none() || setting.kind == super::Kind::Switch, "{}", setting.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid() {
        let values = Values::default();
        for setting in table::all() {
            let value = values.of(setting);
            let is_typed = setting.kind.admits(&value) || (*value == Value::Null && setting.is_nullable());
            assert!(is_typed && setting.kind.problem(&value).is_none(), "{}", setting.name);
        }
    }
}

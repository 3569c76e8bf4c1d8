//! The values of a table of settings as JSON.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use tenon_domain::settings::{Kind, Setting, Value};
use utoipa::openapi::schema::{ObjectBuilder, Type};

use crate::params::setting::schema;

/// Adds a setting under all names of answers. `is_on` is true if its switch is shown as on whatever the value is.
pub(super) fn setting_entries<M: SerializeMap>(
    map: &mut M,
    setting: &Setting,
    value: &Value,
    is_on: bool,
) -> Result<(), M::Error> {
    for name in setting.shown_names() {
        map.serialize_entry(name, &ShownValue(setting.kind, value))?;
    }
    if let Some(opposite) = setting.opposite {
        map.serialize_entry(opposite, &(*value != Value::Switch(true)))?;
    }
    if let (Some(lines), Value::List(items)) = (setting.lines, value) {
        map.serialize_entry(lines, &items.join("\n"))?;
    }
    if let Some(short) = setting.short.first() {
        let is_off = matches!(value, Value::Text(word) if Some(word.as_str()) == setting.off());
        map.serialize_entry(short, &(!is_off || is_on))?;
    }
    Ok(())
}

/// Adds these names to the description of an object.
pub(super) fn setting_properties(object: ObjectBuilder, setting: &Setting) -> ObjectBuilder {
    let names = setting.shown_names().chain(setting.opposite);
    let object = names.fold(object, |object, name| object.property(name, schema(setting)).required(name));
    let of = |object: ObjectBuilder, name: &'static str, kind| {
        object.property(name, ObjectBuilder::new().schema_type(kind)).required(name)
    };
    let object = setting.lines.into_iter().fold(object, |object, name| of(object, name, Type::String));
    setting.short.first().into_iter().fold(object, |object, name| of(object, name, Type::Boolean))
}

/// A value as JSON: written from where it is, because lists show many.
struct ShownValue<'a>(Kind, &'a Value);

impl Serialize for ShownValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.0, self.1) {
            (_, Value::Null) => serializer.serialize_unit(),
            (_, Value::Switch(on)) => serializer.serialize_bool(*on),
            (_, Value::Number(number)) => serializer.serialize_i64(*number),
            (_, Value::Text(text)) => serializer.serialize_str(text),
            (Kind::Switches(words), Value::List(on)) => {
                serializer.collect_map(words.iter().map(|word| (word, on.iter().any(|item| item == word))))
            }
            (Kind::Weights(_), Value::List(items)) => {
                let weights = items.iter().filter_map(|item| item.split_once('='));
                serializer.collect_map(weights.map(|(name, weight)| (name, weight.parse::<u32>().ok())))
            }
            (Kind::Ids, Value::List(items)) => {
                serializer.collect_seq(items.iter().filter_map(|item| item.parse::<i64>().ok()))
            }
            (_, Value::List(items)) => serializer.collect_seq(items),
        }
    }
}

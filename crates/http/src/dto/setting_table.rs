//! Settings of a table of the domain as JSON: a part of the thing that has them.

use std::borrow::Cow;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use tenon_domain::group::setting::{OF_OWNERS, SETTINGS as OF_GROUP, is_among};
use tenon_domain::project::FeatureLevel;
use tenon_domain::project::setting::{SETTINGS as OF_PROJECT, WIKI};
use tenon_domain::settings::{Setting, Value, Values};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::settings::Shown;
use crate::params::setting::schema;

/// The values of the settings of a project.
#[derive(Debug)]
pub(crate) struct ProjectSettingsDto {
    pub(crate) values: Values,
    /// True if it has a wiki of its own, or uses one elsewhere.
    pub(crate) has_wiki: bool,
}

/// The values of the settings of a group.
#[derive(Debug)]
pub(crate) struct GroupSettingsDto {
    pub(crate) values: Values,
    /// True if its owners read it.
    pub(crate) for_owner: bool,
}

/// Writes a setting under its names; `value` is never asked twice.
fn write<M: SerializeMap>(map: &mut M, setting: &Setting, value: &Value) -> Result<(), M::Error> {
    for name in setting.shown_names() {
        map.serialize_entry(name, &Shown(value))?;
    }
    if let Some(opposite) = setting.opposite {
        map.serialize_entry(opposite, &Shown(&Value::Switch(*value != Value::Switch(true))))?;
    }
    Ok(())
}

/// The object of the settings of a table. Those in `some` are not in every answer.
fn described(table: &'static [Setting], some: &[&Setting], description: &str) -> RefOr<Schema> {
    let names =
        table.iter().flat_map(|setting| setting.shown_names().chain(setting.opposite).map(move |name| (name, setting)));
    let object = names.fold(ObjectBuilder::new().description(Some(description)), |object, (name, setting)| {
        let object = object.property(name, schema(setting));
        if is_among(setting, some) { object } else { object.required(name) }
    });
    let boolean = || ObjectBuilder::new().schema_type(Type::Boolean);
    let short = table.iter().filter_map(|setting| setting.short.first());
    short.fold(object, |object, name| object.property(*name, boolean()).required(*name)).into()
}

impl Serialize for ProjectSettingsDto {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for setting in OF_PROJECT {
            let value = self.values.of(setting);
            write(&mut map, setting, &value)?;
            if let Some(short) = setting.short.first() {
                let is_on = value != Value::Text(FeatureLevel::Disabled.as_str().to_owned());
                map.serialize_entry(short, &(is_on || (setting.name == WIKI.name && self.has_wiki)))?;
            }
        }
        map.end()
    }
}

impl PartialSchema for ProjectSettingsDto {
    fn schema() -> RefOr<Schema> {
        described(OF_PROJECT, &[], "The settings of a project beyond its switches.")
    }
}

impl ToSchema for ProjectSettingsDto {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("ProjectSettingsDto")
    }
}

impl Serialize for GroupSettingsDto {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for setting in OF_GROUP.iter().filter(|setting| self.for_owner || !is_among(setting, OF_OWNERS)) {
            write(&mut map, setting, &self.values.of(setting))?;
        }
        map.end()
    }
}

impl PartialSchema for GroupSettingsDto {
    fn schema() -> RefOr<Schema> {
        described(OF_GROUP, OF_OWNERS, "The settings of a group. Only owners of a single group read some of them.")
    }
}

impl ToSchema for GroupSettingsDto {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("GroupSettingsDto")
    }
}

//! The settings of a project as JSON: a part of the project, made from their table.

use std::borrow::Cow;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use tenon_domain::project::FeatureLevel;
use tenon_domain::project::setting::{SETTINGS, WIKI};
use tenon_domain::settings::{Value, Values};
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

impl Serialize for ProjectSettingsDto {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for setting in SETTINGS {
            let value = self.values.of(setting);
            for name in setting.shown_names() {
                map.serialize_entry(name, &Shown(&value))?;
            }
            if let Some(opposite) = setting.opposite {
                map.serialize_entry(opposite, &Shown(&Value::Switch(value != Value::Switch(true))))?;
            }
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
        let names = SETTINGS
            .iter()
            .flat_map(|setting| setting.shown_names().chain(setting.opposite).map(move |name| (name, setting)));
        let object = ObjectBuilder::new().description(Some("The settings of a project beyond its switches."));
        let object =
            names.fold(object, |object, (name, setting)| object.property(name, schema(setting)).required(name));
        let short = SETTINGS.iter().filter_map(|setting| setting.short.first());
        let boolean = || ObjectBuilder::new().schema_type(Type::Boolean);
        short.fold(object, |object, name| object.property(*name, boolean()).required(*name)).into()
    }
}

impl ToSchema for ProjectSettingsDto {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("ProjectSettingsDto")
    }
}

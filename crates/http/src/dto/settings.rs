//! The application settings as JSON.

use std::borrow::Cow;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use tenon_app::settings::SettingsView;
use tenon_domain::settings::{Kind, Value, all};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

use super::branch_protection::BranchProtectionDefaultsDto;
use super::json_time;
use crate::params::BRANCH_PROTECTION_DEFAULTS as DEFAULTS;
use crate::params::setting::schema;

/// All settings.
#[derive(Debug)]
pub(crate) struct SettingsDto(pub(crate) SettingsView);

/// The id of the only object of settings.
const ID: i64 = 1;

struct Moment(chrono::DateTime<chrono::Utc>);

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json_time::moment(&self.0, serializer)
    }
}

/// A value of a setting as JSON.
pub(crate) struct Shown<'v>(pub(crate) &'v Value);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_none(),
            Value::Switch(on) => serializer.serialize_bool(*on),
            Value::Number(number) => serializer.serialize_i64(*number),
            Value::Text(text) => serializer.serialize_str(text),
            Value::List(items) => items.serialize(serializer),
        }
    }
}

impl Serialize for SettingsDto {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &ID)?;
        map.serialize_entry("created_at", &Moment(self.0.created_at))?;
        map.serialize_entry("updated_at", &Moment(self.0.updated_at))?;
        for setting in all() {
            let value = self.0.values.of(setting);
            if let Some(protection) = value.branch_protection().filter(|_| setting.kind == Kind::BranchProtection) {
                map.serialize_entry(setting.name, &protection.level())?;
                map.serialize_entry(DEFAULTS, &BranchProtectionDefaultsDto::from(protection))?;
                continue;
            }
            for name in setting.shown_names() {
                map.serialize_entry(name, &Shown(&value))?;
            }
        }
        map.end()
    }
}

impl PartialSchema for SettingsDto {
    fn schema() -> RefOr<Schema> {
        let format = Some(SchemaFormat::KnownFormat(KnownFormat::DateTime));
        let moment = || ObjectBuilder::new().schema_type(Type::String).format(format.clone());
        let object = ObjectBuilder::new()
            .description(Some("All settings of the server."))
            .property("id", ObjectBuilder::new().schema_type(Type::Integer))
            .property("created_at", moment())
            .property("updated_at", moment());
        let fields = all().flat_map(|setting| setting.shown_names().map(move |name| (name, setting)));
        let object =
            fields.fold(object, |object, (name, setting)| object.property(name, schema(setting)).required(name));
        let object = object.property(DEFAULTS, BranchProtectionDefaultsDto::schema());
        ["id", "created_at", "updated_at", DEFAULTS].into_iter().fold(object, ObjectBuilder::required).into()
    }
}

impl ToSchema for SettingsDto {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("ApplicationSettingsDto")
    }
}

//! The application settings as JSON.

use std::borrow::Cow;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use tenon_app::settings::SettingsView;
use tenon_domain::settings::all;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

use super::json_time;
use super::setting::{setting_entries, setting_properties};

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

impl Serialize for SettingsDto {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &ID)?;
        map.serialize_entry("created_at", &Moment(self.0.created_at))?;
        map.serialize_entry("updated_at", &Moment(self.0.updated_at))?;
        for setting in all().filter(|setting| setting.is_answered()) {
            setting_entries(&mut map, setting, &self.0.values.of(setting), false)?;
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
        let object = all().filter(|setting| setting.is_answered()).fold(object, setting_properties);
        ["id", "created_at", "updated_at"].into_iter().fold(object, ObjectBuilder::required).into()
    }
}

impl ToSchema for SettingsDto {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("ApplicationSettingsDto")
    }
}

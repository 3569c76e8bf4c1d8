//! The settings of a group as JSON: a part of the group, made from their table.

use std::borrow::Cow;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use tenon_domain::group::setting::{OWNERS_ONLY, SETTINGS, is_among};
use tenon_domain::settings::Values;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::setting::{setting_entries, setting_properties};
use crate::params::setting::schema;

/// The values of the settings of a group.
#[derive(Debug)]
pub(crate) struct GroupSettingsDto {
    pub(crate) values: Values,
    /// True if its owners read it.
    pub(crate) for_owner: bool,
}

impl Serialize for GroupSettingsDto {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for setting in SETTINGS.iter().filter(|setting| self.for_owner || !is_among(setting, OWNERS_ONLY)) {
            setting_entries(&mut map, setting, &self.values.of(setting), false)?;
        }
        map.end()
    }
}

impl PartialSchema for GroupSettingsDto {
    fn schema() -> RefOr<Schema> {
        let text = "The settings of a group. Only owners of a single group read some of them.";
        let object = ObjectBuilder::new().description(Some(text));
        let settings = SETTINGS.iter().filter(|setting| !is_among(setting, OWNERS_ONLY));
        let object = settings.fold(object, setting_properties);
        OWNERS_ONLY.iter().fold(object, |object, setting| object.property(setting.name, schema(setting))).into()
    }
}

impl ToSchema for GroupSettingsDto {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("GroupSettingsDto")
    }
}

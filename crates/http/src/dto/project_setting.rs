//! The settings of a project as JSON: a part of the project, made from their table.

use std::borrow::Cow;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use tenon_domain::project::setting::{SETTINGS, WIKI};
use tenon_domain::settings::Values;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::setting::{setting_entries, setting_properties};

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
            let is_on = setting.name == WIKI.name && self.has_wiki;
            setting_entries(&mut map, setting, &self.values.of(setting), is_on)?;
        }
        map.end()
    }
}

impl PartialSchema for ProjectSettingsDto {
    fn schema() -> RefOr<Schema> {
        let object = ObjectBuilder::new().description(Some("The settings of a project beyond its switches."));
        SETTINGS.iter().fold(object, setting_properties).into()
    }
}

impl ToSchema for ProjectSettingsDto {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("ProjectSettingsDto")
    }
}

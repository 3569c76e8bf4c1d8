//! The settings of a project as JSON: a part of the project, made from their table.

use std::borrow::Cow;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use tenon_domain::project::expiration;
use tenon_domain::project::setting::{SETTINGS, WIKI};
use tenon_domain::settings::{Value, Values};
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

/// The rule by which images of the container registry are removed. It is only stored: there is no registry.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExpirationDto {
    cadence: String,
    enabled: bool,
    keep_n: Option<i64>,
    older_than: String,
    /// The same as `name_regex_delete`.
    name_regex: String,
    name_regex_delete: String,
    name_regex_keep: Option<String>,
    /// Always null: nothing is removed.
    next_run_at: Option<String>,
}

impl ExpirationDto {
    pub(crate) fn new(values: &Values) -> Self {
        let text = |setting| values.text_of(setting).unwrap_or_default().to_owned();
        let keep_n = match *values.of(&expiration::KEEP_N) {
            Value::Number(number) => Some(number),
            Value::Null | Value::Switch(_) | Value::Text(_) | Value::List(_) => None,
        };
        Self {
            cadence: text(&expiration::CADENCE),
            enabled: values.is_on(&expiration::ENABLED),
            keep_n,
            older_than: text(&expiration::OLDER_THAN),
            name_regex: text(&expiration::NAME_REGEX_DELETE),
            name_regex_delete: text(&expiration::NAME_REGEX_DELETE),
            name_regex_keep: values.text_of(&expiration::NAME_REGEX_KEEP).map(str::to_owned),
            next_run_at: None,
        }
    }
}

//! The values that the walk sends for a field: one that is not the default, and the default.

use serde_json::{Map, Value as Json, json};
use tenon_domain::project::Feature;
use tenon_domain::settings::{self, Setting};
use tenon_domain::{group, project};

use crate::setting_values::{other, preset, with_companions};

/// The values of the fields that no table of the domain has: resource, field, another value, the default.
const WALKED: &str = include_str!("values.tsv");

/// The values of one field.
pub(super) struct Values {
    pub(super) other: Json,
    pub(super) preset: Json,
    /// The fields that are sent besides: with the other value, and with the default.
    besides: [Map<String, Json>; 2],
    /// False of secrets, which no answer has.
    pub(super) is_answered: bool,
}

impl Values {
    fn pair(other: Json, preset: Json) -> Self {
        Self { other, preset, besides: [Map::new(), Map::new()], is_answered: true }
    }

    /// The body that gives the field the other value.
    pub(super) fn changing(&self, field: &str) -> Map<String, Json> {
        let [besides, _] = &self.besides;
        with(besides, field, &self.other)
    }

    /// The body that gives the field its default.
    pub(super) fn resetting(&self, field: &str) -> Map<String, Json> {
        let [_, besides] = &self.besides;
        with(besides, field, &self.preset)
    }
}

/// These fields and one more.
fn with(fields: &Map<String, Json>, field: &str, value: &Json) -> Map<String, Json> {
    let mut fields = fields.clone();
    fields.insert(field.to_owned(), value.clone());
    fields
}

/// The values that the walk sends for this field, if it sends any.
pub(super) fn values(resource: &str, field: &str) -> Option<Values> {
    let listed = WALKED.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let [its_resource, its_field, other, preset] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("four columns: {line}")
        };
        let json = |text: &str| serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        ((its_resource, its_field) == (resource, field)).then(|| Values::pair(json(other), json(preset)))
    });
    listed.or_else(|| match resource {
        "application settings" => settings::all().find_map(|setting| of_setting(setting, field)),
        "projects" => {
            let of_table = project::setting::SETTINGS.iter().find_map(|setting| of_setting(setting, field));
            of_table.or_else(|| of_feature(field))
        }
        "groups" => group::setting::SETTINGS.iter().find_map(|setting| of_setting(setting, field)),
        _ => None,
    })
}

/// The values of a setting under one of its names.
fn of_setting(setting: &Setting, field: &str) -> Option<Values> {
    let (other_value, preset_value) = (other(setting), preset(setting));
    let mut found = if setting.names().contains(&field) {
        Values::pair(other_value.clone(), preset_value)
    } else if setting.opposite == Some(field) {
        Values::pair(preset_value, other_value.clone())
    } else if setting.lines == Some(field) {
        let joined = |list: &Json| {
            let items = list.as_array().into_iter().flatten().filter_map(Json::as_str);
            json!(items.collect::<Vec<_>>().join("\n"))
        };
        Values::pair(joined(&other_value), joined(&preset_value))
    } else {
        return None;
    };
    let names = || setting.needs.iter().chain(setting.fills).map(|name| (*name).to_owned());
    found.besides = [other, preset].map(|value| {
        let all = with_companions(setting, &json!(true), value);
        names().map(|name| (name.clone(), all[&name].clone())).collect()
    });
    if other_value != json!(true) {
        found.besides[0].clear();
    }
    found.is_answered = setting.is_answered();
    Some(found)
}

/// The values of a switch of projects.
fn of_feature(field: &str) -> Option<Values> {
    let feature = Feature::ALL.iter().find(|feature| feature.names().contains(&field))?;
    let is_on = project::Features::default().is_on(*feature);
    Some(Values::pair(json!(!is_on), json!(is_on)))
}

//! The table of all settings, by area.

mod accounts;
mod ci;
mod credentials;
mod integrations;
mod network;
mod pages;
mod people;
mod projects;
mod rates;
mod repositories;
mod sizes;
mod upkeep;

use super::setting::{Area, Effect, Setting};

/// All settings. Messages about wrong values are in this order.
pub const AREAS: &[Area] = &[
    Area { title: "Accounts and signing in", settings: accounts::SETTINGS },
    Area { title: "Groups and projects", settings: projects::SETTINGS },
    Area { title: "Git and repositories", settings: repositories::SETTINGS },
    Area { title: "Requests", settings: network::SETTINGS },
    Area { title: "Pages and texts", settings: pages::SETTINGS },
    Area { title: "CI, pages of projects and packages", settings: ci::SETTINGS },
    Area { title: "Mail, metrics and other programs", settings: integrations::SETTINGS },
    Area { title: "Passwords and tokens", settings: credentials::SETTINGS },
    Area { title: "Accounts over time", settings: people::SETTINGS },
    Area { title: "Rate limits", settings: rates::SETTINGS },
    Area { title: "Sizes", settings: sizes::SETTINGS },
    Area { title: "Maintenance", settings: upkeep::SETTINGS },
];

/// All settings, in the order of the table.
pub fn all() -> impl Iterator<Item = &'static Setting> {
    AREAS.iter().flat_map(|area| area.settings)
}

/// The setting of that name, which is no alias.
#[must_use]
pub fn find(name: &str) -> Option<&'static Setting> {
    all().find(|setting| setting.name == name)
}

const OBEYED: Effect = Effect::Obeyed;
const NO_SUCH_PAGES: Effect = Effect::Stored("the pages show nothing of that kind");
const NO_POLLING: Effect = Effect::Stored("no page asks again and again");
const NO_CI: Effect = Effect::Stored("there is no CI");
const NO_CALLS: Effect = Effect::Stored("this program is not called");

/// The most characters of a text that pages show.
const TEXT: usize = 100_000;
/// The most characters of a line.
const LINE: usize = 255;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique_and_companions_exist() {
        let names: Vec<&str> = all().flat_map(Setting::sent_names).collect();
        let unique: HashSet<&str> = names.iter().copied().collect();
        assert_eq!(names.len(), unique.len());
        for setting in all() {
            for companion in setting.needs.iter().chain(setting.fills) {
                assert!(find(companion).is_some(), "{} needs {companion}", setting.name);
            }
        }
    }

    #[test]
    fn secrets_are_known() {
        let secrets: Vec<&str> = all().filter(|setting| setting.is_secret()).map(|setting| setting.name).collect();
        let want = [
            "captcha_private_key",
            "spamfilter_api_key",
            "external_pipeline_validation_service_token",
            "errortracker_dsn",
            "clientside_errortracker_dsn",
            "asset_proxy_secret_key",
            "static_objects_external_storage_auth_token",
        ];
        assert_eq!(secrets, want);
    }
}

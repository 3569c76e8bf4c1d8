//! Rates: how much a caller may ask for in a time.

use super::{NO_CI, OBEYED};
use crate::settings::kind::Kind;
use crate::settings::setting::{DefaultValue, Effect, Setting};

/// The largest number of requests, and of seconds, of a throttle.
const MOST: i64 = 1_000_000_000;
/// The most characters of a text that is answered instead.
const TEXT: usize = 255;

const NO_PACKAGES: Effect = Effect::Stored("there are no registries of packages");
const NO_INCIDENTS: Effect = Effect::Stored("there are no incidents");
const NO_EXPORT: Effect = Effect::Stored("groups and projects cannot be exported");

const fn number(name: &'static str, default: i64, effect: Effect, meaning: &'static str) -> Setting {
    Setting::new(name, Kind::Number { least: 1, most: MOST }, DefaultValue::Number(default), effect, meaning)
}

/// A budget; 0 counts none.
const fn budget(name: &'static str, default: i64, effect: Effect, meaning: &'static str) -> Setting {
    Setting::new(name, Kind::Number { least: 0, most: MOST }, DefaultValue::Number(default), effect, meaning)
}

pub(super) const SETTINGS: &[Setting] = &[
    Setting::switch(
        "throttle_unauthenticated_api_enabled",
        false,
        OBEYED,
        "Requests to the API without a credential that proves a user are counted.",
    ),
    number(
        "throttle_unauthenticated_api_requests_per_period",
        3_600,
        OBEYED,
        "Requests of an address to the API in a period.",
    ),
    number("throttle_unauthenticated_api_period_in_seconds", 3_600, OBEYED, "The period in seconds."),
    Setting::switch(
        "throttle_unauthenticated_web_enabled",
        false,
        OBEYED,
        "Requests outside the API without a credential that proves a user are counted.",
    ),
    number(
        "throttle_unauthenticated_web_requests_per_period",
        3_600,
        OBEYED,
        "Requests of an address outside the API in a period.",
    ),
    number("throttle_unauthenticated_web_period_in_seconds", 3_600, OBEYED, "The period in seconds."),
    Setting::switch(
        "throttle_unauthenticated_files_api_enabled",
        false,
        OBEYED,
        "Requests for files of repositories without a credential that proves a user are counted.",
    ),
    number(
        "throttle_unauthenticated_files_api_requests_per_period",
        125,
        OBEYED,
        "Requests of an address for files of repositories in a period.",
    ),
    number("throttle_unauthenticated_files_api_period_in_seconds", 15, OBEYED, "The period in seconds."),
    Setting::switch(
        "throttle_authenticated_files_api_enabled",
        false,
        OBEYED,
        "Requests of a user for files of repositories are counted.",
    ),
    number(
        "throttle_authenticated_files_api_requests_per_period",
        500,
        OBEYED,
        "Requests of a user for files of repositories in a period.",
    ),
    number("throttle_authenticated_files_api_period_in_seconds", 15, OBEYED, "The period in seconds."),
    Setting::switch(
        "throttle_unauthenticated_packages_api_enabled",
        false,
        NO_PACKAGES,
        "Requests to registries of packages without a credential that proves a user are counted.",
    ),
    number(
        "throttle_unauthenticated_packages_api_requests_per_period",
        800,
        NO_PACKAGES,
        "Requests of an address to registries of packages in a period.",
    ),
    number("throttle_unauthenticated_packages_api_period_in_seconds", 15, NO_PACKAGES, "The period in seconds."),
    Setting::switch(
        "throttle_authenticated_packages_api_enabled",
        false,
        NO_PACKAGES,
        "Requests of a user to registries of packages are counted.",
    ),
    number(
        "throttle_authenticated_packages_api_requests_per_period",
        1_000,
        NO_PACKAGES,
        "Requests of a user to registries of packages in a period.",
    ),
    number("throttle_authenticated_packages_api_period_in_seconds", 15, NO_PACKAGES, "The period in seconds."),
    Setting::switch(
        "throttle_unauthenticated_git_lfs_enabled",
        false,
        OBEYED,
        "Requests for large files (LFS) without a credential that proves a user are counted.",
    ),
    number(
        "throttle_unauthenticated_git_lfs_requests_per_period",
        1_000,
        OBEYED,
        "Requests of an address for large files (LFS) in a period.",
    ),
    number("throttle_unauthenticated_git_lfs_period_in_seconds", 60, OBEYED, "The period in seconds."),
    Setting::switch(
        "throttle_authenticated_git_lfs_enabled",
        false,
        OBEYED,
        "Requests of a user for large files (LFS) are counted.",
    ),
    number(
        "throttle_authenticated_git_lfs_requests_per_period",
        1_000,
        OBEYED,
        "Requests of a user for large files (LFS) in a period.",
    ),
    number("throttle_authenticated_git_lfs_period_in_seconds", 60, OBEYED, "The period in seconds."),
    Setting::switch(
        "throttle_unauthenticated_deprecated_api_enabled",
        false,
        OBEYED,
        "Requests for groups with their projects, without a credential that proves a user, are counted.",
    ),
    number(
        "throttle_unauthenticated_deprecated_api_requests_per_period",
        1_800,
        OBEYED,
        "Requests of an address for groups with their projects in a period.",
    ),
    number("throttle_unauthenticated_deprecated_api_period_in_seconds", 3_600, OBEYED, "The period in seconds."),
    Setting::switch(
        "throttle_authenticated_deprecated_api_enabled",
        false,
        OBEYED,
        "Requests of a user for groups with their projects are counted.",
    ),
    number(
        "throttle_authenticated_deprecated_api_requests_per_period",
        3_600,
        OBEYED,
        "Requests of a user for groups with their projects in a period.",
    ),
    number("throttle_authenticated_deprecated_api_period_in_seconds", 3_600, OBEYED, "The period in seconds."),
    Setting::switch(
        "throttle_protected_paths_enabled",
        false,
        OBEYED,
        "Requests that sign in, sign up, reset passwords and the like are counted.",
    )
    .aliases(&[("throttle_protected_paths_enabled_enabled", true)]),
    number("throttle_protected_paths_requests_per_period", 10, OBEYED, "Such requests of an address in a period.")
        .aliases(&[
            ("throttle_protected_paths_per_period", true),
            ("throttle_protected_paths_enabled_requests_per_period", true),
        ]),
    number("throttle_protected_paths_period_in_seconds", 60, OBEYED, "The period in seconds.")
        .aliases(&[("throttle_protected_paths_enabled_period_in_seconds", true)]),
    Setting::switch(
        "throttle_incident_management_notification_enabled",
        false,
        NO_INCIDENTS,
        "Notifications about incidents are counted.",
    ),
    number(
        "throttle_incident_management_notification_per_period",
        3_600,
        NO_INCIDENTS,
        "Notifications of a project in a period.",
    ),
    number(
        "throttle_incident_management_notification_period_in_seconds",
        3_600,
        NO_INCIDENTS,
        "The period in seconds.",
    ),
    Setting::text(
        "rate_limiting_response_text",
        Kind::Line(TEXT),
        OBEYED,
        "The text of an answer to a request that is one too many; `Retry later` if it is null.",
    ),
    budget("notes_create_limit", 0, OBEYED, "Comments of a user in a minute; 0 counts none."),
    budget("issues_create_limit", 0, OBEYED, "Issues of a user in a minute; 0 counts none."),
    budget("search_rate_limit", 0, OBEYED, "Searches of a user in a minute; 0 counts none."),
    budget(
        "search_rate_limit_unauthenticated",
        0,
        OBEYED,
        "Searches of an address in a minute, without a credential that proves a user; 0 counts none.",
    ),
    budget("raw_blob_request_limit", 0, OBEYED, "Requests for one raw file in a minute; 0 counts none."),
    budget("users_get_by_id_limit", 0, OBEYED, "Requests of a user for single users in ten minutes; 0 counts none."),
    Setting::new(
        "users_get_by_id_limit_allowlist_raw",
        Kind::Text(10_000),
        DefaultValue::Text(""),
        OBEYED,
        "Names of users whom `users_get_by_id_limit` does not count, one in each line; the first 100 of them.",
    ),
    budget(
        "user_email_lookup_limit",
        0,
        OBEYED,
        "Searches of a caller for users by e-mail address in a minute; 0 counts none.",
    ),
    budget(
        "projects_api_rate_limit_unauthenticated",
        0,
        OBEYED,
        "Requests of an address for the list of projects in ten minutes, without a credential that proves a user; 0 counts none.",
    ),
    budget("project_jobs_api_rate_limit", 600, NO_CI, "Requests of a user for jobs of a project in a minute."),
    budget(
        "pipeline_limit_per_project_user_sha",
        0,
        NO_CI,
        "Pipelines of a user for one commit of a project in a minute; 0 counts none.",
    ),
    budget(
        "downstream_pipeline_trigger_limit_per_project_user_sha",
        0,
        NO_CI,
        "Pipelines that are started by pipelines of a user for one commit in a minute; 0 counts none.",
    ),
    budget("project_export_limit", 6, NO_EXPORT, "Exports of projects that a user starts in a minute."),
    budget("project_import_limit", 6, NO_EXPORT, "Imports of exported projects that a user starts in a minute."),
    budget("project_download_export_limit", 1, NO_EXPORT, "Downloads of exported projects of a user in a minute."),
    budget("group_export_limit", 6, NO_EXPORT, "Exports of groups that a user starts in a minute."),
    budget("group_import_limit", 6, NO_EXPORT, "Imports of exported groups that a user starts in a minute."),
    budget("group_download_export_limit", 1, NO_EXPORT, "Downloads of exported groups of a user in a minute."),
    Setting::number(
        "max_number_of_repository_downloads",
        0,
        0,
        OBEYED,
        "Different projects that a user may download within the time, 10,000 at most. Administrators get a mail about who downloads more. 0 counts none.",
    ),
    Setting::new(
        "max_number_of_repository_downloads_within_time_period",
        Kind::Number { least: 0, most: 864_000 },
        DefaultValue::Number(0),
        OBEYED,
        "The time in seconds; 0 counts none.",
    ),
    Setting::switch(
        "auto_ban_user_on_excessive_projects_download",
        false,
        OBEYED,
        "Users who download more are banned. Administrators are not.",
    ),
    Setting::new(
        "git_rate_limit_users_allowlist",
        Kind::Names,
        DefaultValue::List(&[]),
        OBEYED,
        "Names of users whose downloads are not counted.",
    ),
    Setting::new(
        "git_rate_limit_users_alertlist",
        Kind::Ids,
        DefaultValue::List(&[]),
        OBEYED,
        "Numbers of users who get the mails about such downloads; all administrators if there are none.",
    ),
    budget(
        "gitlab_shell_operation_limit",
        0,
        OBEYED,
        "Operations of Git over SSH of a user on a repository in a minute; 0 counts none.",
    ),
];

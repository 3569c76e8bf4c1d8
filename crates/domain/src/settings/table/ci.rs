//! CI, pages of projects and packages.

use super::{LINE, NO_CI, OBEYED, TEXT};
use crate::settings::kind::Kind;
use crate::settings::setting::{DefaultValue, Effect, Setting};

const NO_PROJECT_PAGES: Effect = Effect::Stored("projects have no pages");

const NO_PACKAGES: Effect = Effect::Stored("there are no registries of packages");

const fn expiry(name: &'static str, meaning: &'static str) -> Setting {
    Setting::text(name, Kind::Number { least: 7_200, most: Kind::MOST }, NO_CI, meaning)
}

pub(super) const SETTINGS: &[Setting] = &[
    Setting::switch("shared_runners_enabled", true, OBEYED, "New projects may use shared runners.")
        .needs(&["shared_runners_text"]),
    Setting::text("shared_runners_text", Kind::Text(TEXT), NO_CI, "The text about shared runners for users."),
    Setting::switch("auto_devops_enabled", true, NO_CI, "Projects without a CI file get pipelines of the server's."),
    Setting::text("auto_devops_domain", Kind::Line(LINE), NO_CI, "The domain under which they publish."),
    Setting::number("max_artifacts_size", 1, 100, NO_CI, "Megabytes that the artifacts of a job may have."),
    Setting::new(
        "default_artifacts_expire_in",
        Kind::Duration,
        DefaultValue::Text("30 days"),
        NO_CI,
        "How long artifacts are kept; 0 is for ever.",
    ),
    Setting::number("terminal_max_session_time", 0, 0, NO_CI, "Seconds that a terminal stays open; 0 is no limit."),
    Setting::number("max_pages_size", 1, 100, NO_PROJECT_PAGES, "Megabytes that the pages of a project may have."),
    Setting::switch(
        "pages_domain_verification_enabled",
        true,
        NO_PROJECT_PAGES,
        "Users have to prove that a domain is theirs.",
    ),
    Setting::number(
        "container_registry_token_expire_delay",
        1,
        5,
        Effect::Stored("there is no registry"),
        "Minutes for which a token for the registry is valid.",
    ),
    Setting::switch("allow_runner_registration_token", true, NO_CI, "Runners may be registered with a token."),
    Setting::text(
        "archive_builds_in_human_readable",
        Kind::Duration,
        NO_CI,
        "Time after which jobs cannot be run again.",
    ),
    Setting::number("ci_max_includes", 0, 150, NO_CI, "Files that a CI file may include."),
    Setting::number(
        "ci_max_total_yaml_size_bytes",
        0,
        314_572_800,
        NO_CI,
        "Bytes of a CI file with all that it includes.",
    ),
    Setting::text(
        "default_ci_config_path",
        Kind::Line(LINE),
        NO_CI,
        "The path of the CI file of projects that say none.",
    ),
    Setting::text(
        "external_pipeline_validation_service_timeout",
        Kind::Number { least: 1, most: Kind::MOST },
        NO_CI,
        "Seconds for a service that checks pipelines.",
    ),
    Setting::text("external_pipeline_validation_service_token", Kind::Hidden, NO_CI, "The key for that service."),
    Setting::text("external_pipeline_validation_service_url", Kind::Url, NO_CI, "The address of that service."),
    expiry("runner_token_expiration_interval", "Seconds for which tokens of new runners of the server are valid."),
    expiry("group_runner_token_expiration_interval", "Seconds for which tokens of new runners of groups are valid."),
    expiry(
        "project_runner_token_expiration_interval",
        "Seconds for which tokens of new runners of projects are valid.",
    ),
    Setting::switch("keep_latest_artifact", true, NO_CI, "The latest artifacts of each branch do not expire."),
    Setting::number("max_yaml_depth", 1, 100, NO_CI, "Levels of a CI file."),
    Setting::number("max_yaml_size_bytes", 1, 2_097_152, NO_CI, "Bytes of a CI file."),
    Setting::switch(
        "protected_ci_variables",
        true,
        OBEYED,
        "The form of a new variable proposes that it is protected.",
    ),
    Setting::switch("suggest_pipeline_enabled", true, NO_CI, "Projects without a CI file are offered one."),
    Setting::new(
        "valid_runner_registrars",
        Kind::Words(&["group", "project"]),
        DefaultValue::List(&["group", "project"]),
        NO_CI,
        "Who may register runners.",
    ),
    Setting::switch("ci_job_live_trace_enabled", false, NO_CI, "Logs of jobs are stored while they run."),
    Setting::new(
        "ci_partitions_size_limit",
        Kind::Number { least: 1, most: 1 << 40 },
        DefaultValue::Number(100 << 30),
        NO_CI,
        "Bytes of a part of the tables of jobs.",
    ),
    Setting::switch(
        "enable_artifact_external_redirect_warning_page",
        true,
        NO_CI,
        "A page warns of artifacts that are served from elsewhere.",
    ),
    Setting::switch(
        "enforce_ci_inbound_job_token_scope_enabled",
        false,
        NO_CI,
        "Job tokens reach listed projects only, whatever projects say.",
    ),
    Setting::switch(
        "package_registry_allow_anyone_to_pull_option",
        true,
        NO_PACKAGES,
        "Projects may let everybody fetch packages.",
    ),
    Setting::number(
        "package_registry_cleanup_policies_worker_capacity",
        0,
        2,
        NO_PACKAGES,
        "Rules of removal that run at once.",
    ),
];

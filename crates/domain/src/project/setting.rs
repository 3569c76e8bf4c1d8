//! The settings of a project beyond its switches. Parameters, answers, the description of the API, the stored form and
//! docs/fields.md are made from the one table below (docs/adding-a-flag.md).

use super::expiration::EXPIRATION;
use super::level::LEVELS;
use crate::settings::{DefaultValue, Effect, Kind, Setting, markdown_table};

const OBEYED: Effect = Effect::Obeyed;
const NO_CI: Effect = Effect::Stored("jobs are run by other programs");
const NO_PACKAGES: Effect = Effect::Stored("there is no package registry");
const NO_DEVOPS: Effect = Effect::Stored("there are no preset pipelines");
const NO_SERVICE_DESK: Effect = Effect::Stored("there is no service desk");
const NO_PRESET_REACTIONS: Effect = Effect::Stored("pages offer the same reactions in all projects");
const NO_CLASSIFICATION: Effect = Effect::Stored("no outside service decides about access");

/// The most characters of the text of a commit (the reference's limit).
const MESSAGE: usize = 500;
/// The most characters of a preset text of an issue or merge request.
const PRESET: usize = 100_000;

const NO_REGISTRY: Effect = Effect::Stored("there is no container registry");
const NO_SUCH_PART: Effect = Effect::Stored("projects have no such part");

const fn part(name: &'static str, effect: Effect, meaning: &'static str) -> Setting {
    Setting::new(name, Kind::Word(LEVELS), DefaultValue::Text("enabled"), effect, meaning)
}

/// Who has the issues.
pub const ISSUES: Setting = part("issues_access_level", OBEYED, "Who has the issues.").short(&["issues_enabled"]);
/// Who has the merge requests.
pub const MERGE_REQUESTS: Setting =
    part("merge_requests_access_level", OBEYED, "Who has the merge requests.").short(&["merge_requests_enabled"]);
/// Who has the code.
pub const REPOSITORY: Setting = part(
    "repository_access_level",
    OBEYED,
    "Who has the code. Merge requests and pipelines need it: without it, nobody has them.",
);
/// Who has pipelines and jobs.
pub const JOBS: Setting =
    part("builds_access_level", OBEYED, "Who has pipelines and jobs.").short(&["jobs_enabled", "builds_enabled"]);
/// Who has the wiki.
pub const WIKI: Setting = part("wiki_access_level", OBEYED, "Who has the wiki.").short(&["wiki_enabled"]);
/// Who has the snippets.
pub const SNIPPETS: Setting =
    part("snippets_access_level", OBEYED, "Who has the snippets.").short(&["snippets_enabled"]);
/// Who has environments and deployments.
pub const ENVIRONMENTS: Setting = part(
    "environments_access_level",
    OBEYED,
    "Who has environments and deployments. They need the code and the jobs: without either, nobody has them.",
);
/// Who has the feature flags.
pub const FEATURE_FLAGS: Setting = part("feature_flags_access_level", OBEYED, "Who has the feature flags.");
/// Who may fork it.
pub const FORKING: Setting = part("forking_access_level", OBEYED, "Who may fork the project.");
/// Who has the releases.
pub const RELEASES: Setting = part("releases_access_level", OBEYED, "Who has the releases.");
/// Who has contributors and graphs.
pub const ANALYTICS: Setting = part("analytics_access_level", OBEYED, "Who has contributors and the graph of commits.");

/// Closing words of a merged request close issues.
pub const AUTOCLOSE_REFERENCED_ISSUES: Setting = Setting::switch(
    "autoclose_referenced_issues",
    true,
    OBEYED,
    "Closing words in merge requests and commits close issues when they reach the default branch.",
);
/// Notification mails are sent.
pub const EMAILS_ENABLED: Setting =
    Setting::switch("emails_enabled", true, OBEYED, "Notifications about the project are sent by mail.")
        .opposite("emails_disabled");
/// Uploads of a project that is not public need a reader.
pub const ENFORCE_AUTH_CHECKS_ON_UPLOADS: Setting = Setting::switch(
    "enforce_auth_checks_on_uploads",
    true,
    OBEYED,
    "Files attached to texts are only sent to users who may read the project. If it is off, the address is enough.",
);
/// The name of a branch that is made from an issue.
pub const ISSUE_BRANCH_TEMPLATE: Setting = Setting::text(
    "issue_branch_template",
    Kind::Line(255),
    OBEYED,
    "Name of a branch that is created from an issue, with `%{id}` and `%{title}`; `%{id}-%{title}` if there is none.",
);
/// The preset text of an issue.
pub const ISSUES_TEMPLATE: Setting =
    Setting::text("issues_template", Kind::Text(PRESET), OBEYED, "Preset description of a new issue.");
/// The text of a merge commit.
pub const MERGE_COMMIT_TEMPLATE: Setting = Setting::text(
    "merge_commit_template",
    Kind::Text(MESSAGE),
    OBEYED,
    "Message of merge commits, with placeholders (docs/fields.md).",
);
/// The preset text of a merge request.
pub const MERGE_REQUESTS_TEMPLATE: Setting =
    Setting::text("merge_requests_template", Kind::Text(PRESET), OBEYED, "Preset description of a new merge request.");
/// The target of new merge requests of a fork.
pub const MR_DEFAULT_TARGET_SELF: Setting = Setting::switch(
    "mr_default_target_self",
    false,
    OBEYED,
    "Of a fork: new merge requests target the fork itself instead of its source.",
);
/// The first state of the box that deletes the source branch.
pub const REMOVE_SOURCE_BRANCH_AFTER_MERGE: Setting = Setting::switch(
    "remove_source_branch_after_merge",
    true,
    OBEYED,
    "The form of a new merge request asks to delete the source branch. Requests of the API say it themselves.",
);
/// The text of a squash commit.
pub const SQUASH_COMMIT_TEMPLATE: Setting = Setting::text(
    "squash_commit_template",
    Kind::Text(MESSAGE),
    OBEYED,
    "Message of squash commits, with placeholders (docs/fields.md).",
);
/// The decision about squashing merge requests.
pub const SQUASH_OPTION: Setting = Setting::new(
    "squash_option",
    Kind::Word(&["never", "always", "default_on", "default_off"]),
    DefaultValue::Text("default_off"),
    OBEYED,
    "Whether commits are squashed when a merge request is merged: never, always, or as it says, on or off at first.",
);
/// The text of the commit of applied suggestions.
pub const SUGGESTION_COMMIT_MESSAGE: Setting = Setting::text(
    "suggestion_commit_message",
    Kind::Text(MESSAGE),
    OBEYED,
    "Message of the commit that applies suggestions, with placeholders (docs/API-QUIRKS.md).",
);

/// The settings of a project beyond its switches, in the order of messages about wrong values.
pub const SETTINGS: &[Setting] = &[
    ISSUES,
    MERGE_REQUESTS,
    REPOSITORY,
    JOBS,
    WIKI,
    FORKING,
    RELEASES,
    ANALYTICS,
    SNIPPETS,
    part("container_registry_access_level", NO_REGISTRY, "Who has the container registry.")
        .short(&["container_registry_enabled"]),
    Setting::new(
        "pages_access_level",
        Kind::Word(&["disabled", "private", "enabled", "public"]),
        DefaultValue::Text("private"),
        Effect::Stored("projects have no pages of their own"),
        "Who has the pages of the project.",
    ),
    ENVIRONMENTS,
    FEATURE_FLAGS,
    part("infrastructure_access_level", NO_SUCH_PART, "Who has the descriptions of infrastructure."),
    part("monitor_access_level", NO_SUCH_PART, "Who has alerts and incidents."),
    part("operations_access_level", NO_SUCH_PART, "The older name of environments and alerts together."),
    part("model_experiments_access_level", NO_SUCH_PART, "Who has experiments with models."),
    part("model_registry_access_level", NO_SUCH_PART, "Who has the registry of models."),
    part("requirements_access_level", NO_SUCH_PART, "Who has the requirements."),
    Setting::new(
        "security_and_compliance_access_level",
        Kind::Word(LEVELS),
        DefaultValue::Text("private"),
        NO_SUCH_PART,
        "Who has the reports about security.",
    ),
    AUTOCLOSE_REFERENCED_ISSUES,
    EMAILS_ENABLED,
    ENFORCE_AUTH_CHECKS_ON_UPLOADS,
    ISSUE_BRANCH_TEMPLATE,
    ISSUES_TEMPLATE,
    MERGE_COMMIT_TEMPLATE,
    MERGE_REQUESTS_TEMPLATE,
    MR_DEFAULT_TARGET_SELF,
    REMOVE_SOURCE_BRANCH_AFTER_MERGE,
    SQUASH_COMMIT_TEMPLATE,
    SQUASH_OPTION,
    SUGGESTION_COMMIT_MESSAGE,
    Setting::switch("packages_enabled", true, NO_PACKAGES, "The package registry is on."),
    Setting::switch(
        "show_default_award_emojis",
        true,
        NO_PRESET_REACTIONS,
        "Thumbs up and down are shown before somebody has used them.",
    ),
    Setting::text(
        "external_authorization_classification_label",
        Kind::Line(255),
        NO_CLASSIFICATION,
        "Label of the project for an outside service that decides about access.",
    ),
    Setting::switch("service_desk_enabled", false, NO_SERVICE_DESK, "Issues are made of mails to an own address."),
    Setting::switch("auto_devops_enabled", false, NO_DEVOPS, "A preset pipeline runs if the project has none."),
    Setting::new(
        "auto_devops_deploy_strategy",
        Kind::Word(&["continuous", "manual", "timed_incremental"]),
        DefaultValue::Text("continuous"),
        NO_DEVOPS,
        "How the preset pipeline deploys.",
    ),
    Setting::switch(
        "allow_merge_on_skipped_pipeline",
        false,
        NO_CI,
        "A skipped pipeline counts as successful where merging requires one.",
    ),
    Setting::switch(
        "allow_pipeline_trigger_approve_deployment",
        false,
        NO_CI,
        "Who started a pipeline may approve its deployment.",
    ),
    Setting::new(
        "auto_cancel_pending_pipelines",
        Kind::Word(&["enabled", "disabled"]),
        DefaultValue::Text("enabled"),
        NO_CI,
        "A newer pipeline cancels those of older commits that have not begun.",
    ),
    Setting::text(
        "build_coverage_regex",
        Kind::Line(255),
        NO_CI,
        "Regular expression that finds the coverage in the log of a job.",
    ),
    Setting::new(
        "build_git_strategy",
        Kind::Word(&["fetch", "clone"]),
        DefaultValue::Text("fetch"),
        NO_CI,
        "How jobs get the repository.",
    ),
    Setting::number("build_timeout", 600, 3_600, NO_CI, "Seconds that a job may run."),
    Setting::switch(
        "ci_allow_fork_pipelines_to_run_in_parent_project",
        true,
        NO_CI,
        "Pipelines of merge requests from forks may run in this project.",
    ),
    Setting::new(
        "ci_default_git_depth",
        Kind::Number { least: 0, most: 1_000 },
        DefaultValue::Number(20),
        NO_CI,
        "How many commits jobs fetch; 0 is all.",
    ),
    Setting::text(
        "ci_delete_pipelines_in_seconds",
        Kind::Number { least: 86_400, most: Kind::MOST },
        NO_CI,
        "Seconds after which pipelines are deleted; never if it is null.",
    ),
    Setting::switch("ci_forward_deployment_enabled", true, NO_CI, "Jobs of older deployments are not run."),
    Setting::switch(
        "ci_forward_deployment_rollback_allowed",
        true,
        NO_CI,
        "Jobs of older deployments may be run again to go back.",
    ),
    Setting::new(
        "ci_id_token_sub_claim_components",
        Kind::Words(&["project_path", "ref_type", "ref"]),
        DefaultValue::List(&["project_path", "ref_type", "ref"]),
        NO_CI,
        "Parts of the subject of identity tokens of jobs.",
    ),
    Setting::switch(
        "ci_job_token_scope_enabled",
        false,
        NO_CI,
        "Job tokens of the project reach listed projects only.",
    ),
    Setting::switch("ci_opt_in_jwt", false, NO_CI, "Jobs get older identity tokens only if they ask."),
    Setting::new(
        "ci_pipeline_variables_minimum_override_role",
        Kind::Word(&["developer", "maintainer", "owner", "no_one_allowed"]),
        DefaultValue::Text("developer"),
        NO_CI,
        "Who may set variables of a pipeline.",
    ),
    Setting::switch(
        "ci_push_repository_for_job_token_allowed",
        false,
        NO_CI,
        "Job tokens of the project may push to it.",
    ),
    Setting::new(
        "ci_restrict_pipeline_cancellation_role",
        Kind::Word(&["developer", "maintainer", "no_one"]),
        DefaultValue::Text("developer"),
        NO_CI,
        "Who may cancel a pipeline.",
    ),
    Setting::switch("ci_separated_caches", true, NO_CI, "Jobs of protected branches have their own caches."),
    Setting::switch("group_runners_enabled", true, NO_CI, "Runners of the group may run its jobs."),
    Setting::switch("keep_latest_artifact", true, NO_CI, "The latest artifacts of each branch do not expire."),
    Setting::text(
        "max_artifacts_size",
        Kind::Number { least: 1, most: Kind::MOST },
        NO_CI,
        "Megabytes that the artifacts of a job may have; as for all projects if it is null.",
    ),
    Setting::switch("merge_pipelines_enabled", false, NO_CI, "Pipelines run on the merged result."),
    Setting::switch("pre_receive_secret_detection_enabled", false, NO_CI, "Pushes are searched for secrets."),
    Setting::new(
        "resource_group_default_process_mode",
        Kind::Word(&["unordered", "oldest_first", "newest_first", "newest_ready_first"]),
        DefaultValue::Text("unordered"),
        NO_CI,
        "The order of jobs that wait for the same resource.",
    ),
    Setting::switch(
        "restrict_user_defined_variables",
        false,
        NO_CI,
        "Only maintainers may set variables of a pipeline.",
    ),
    Setting::text(
        "runner_token_expiration_interval",
        Kind::Number { least: 7_200, most: Kind::MOST },
        NO_CI,
        "Seconds for which tokens of runners are valid; for ever if it is null.",
    ),
];

/// The setting of that name, which is no alias.
#[must_use]
pub fn find_setting(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().chain(EXPIRATION).find(|setting| setting.name == name)
}

/// The settings as a Markdown table (docs/fields.md).
#[must_use]
pub fn page() -> String {
    markdown_table(&[SETTINGS, EXPIRATION].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Feature;
    use crate::settings::assert_valid;

    #[test]
    fn names_are_unique_and_defaults_are_valid() {
        let switches: Vec<&str> = Feature::ALL.iter().flat_map(|feature| feature.names().iter().copied()).collect();
        assert_valid(SETTINGS, &switches);
    }
}

//! The settings of a group beyond its own columns. Parameters, answers, the description of the API, the stored form and
//! docs/fields.md are made from the one table below (docs/adding-a-flag.md).

use crate::project::LEVELS;
use crate::settings::{DefaultValue, Effect, Kind, Setting, markdown_table};

const OBEYED: Effect = Effect::Obeyed;
const NO_CI: Effect = Effect::Stored("jobs are run by other programs");
const NO_MATH_LIMITS: Effect = Effect::Stored("formulas are limited in the same way everywhere");

/// The first branch of new projects.
pub const DEFAULT_BRANCH: Setting = Setting::text(
    "default_branch",
    Kind::Branch,
    OBEYED,
    "Name of the first branch of new projects in the group and in groups below that have none; the server's if it is null.",
);
/// Notification mails are sent.
pub const EMAILS_ENABLED: Setting = Setting::switch(
    "emails_enabled",
    true,
    OBEYED,
    "Notifications about projects in the group and in groups below are sent by mail.",
)
.opposite("emails_disabled");
/// The protocols of Git.
pub const GIT_ACCESS: Setting = Setting::new(
    "enabled_git_access_protocol",
    Kind::Word(&["all", "ssh", "http"]),
    DefaultValue::Text("all"),
    OBEYED,
    "Protocols over which Git reaches projects in the group and in groups below.",
);
/// The addresses from which the group is reached.
pub const IP_RANGES: Setting = Setting::text(
    "ip_restriction_ranges",
    Kind::Networks,
    OBEYED,
    "Of a group at the top: the addresses from which it, the groups below and their projects are reached. For other \
     addresses they are hidden, but not from administrators. Only owners read it.",
);
/// The addresses that new members need.
pub const EMAIL_DOMAINS: Setting = Setting::text(
    "allowed_email_domains_list",
    Kind::DomainLine,
    OBEYED,
    "New members of the group, of groups below and of their projects need a confirmed address of one of these domains. \
     Only owners read it.",
);
/// Projects get no new members.
pub const MEMBERSHIP_LOCK: Setting = Setting::switch(
    "membership_lock",
    false,
    OBEYED,
    "Projects in the group and in groups below get no new members of their own.",
);
/// All discussions are resolved before a merge.
pub const RESOLVED_BEFORE_MERGE: Setting = Setting::switch(
    "only_allow_merge_if_all_discussions_are_resolved",
    false,
    OBEYED,
    "In all projects of the group and of groups below, merging requires that all discussions are resolved.",
);
/// The pipeline succeeds before a merge.
pub const PIPELINE_BEFORE_MERGE: Setting = Setting::switch(
    "only_allow_merge_if_pipeline_succeeds",
    false,
    OBEYED,
    "In all projects of the group and of groups below, merging requires that the pipeline has succeeded.",
);
/// Forks stay in the group.
pub const NO_FORKING_OUTSIDE: Setting = Setting::switch(
    "prevent_forking_outside_group",
    false,
    OBEYED,
    "Projects in the group and in groups below are forked only into the group or into groups below it.",
);
/// The group is shared only below its top.
pub const NO_SHARING_OUTSIDE: Setting = Setting::switch(
    "prevent_sharing_groups_outside_hierarchy",
    false,
    OBEYED,
    "Of a group at the top: it and the groups below are shared only with each other.",
);
/// Access tokens may be made.
pub const ACCESS_TOKENS: Setting = Setting::switch(
    "resource_access_token_creation_allowed",
    true,
    OBEYED,
    "Of a group at the top: access tokens of it, of the groups below and of their projects may be made. Those that there are go \
     on working.",
);

/// The settings of a group beyond its own columns, in the order of messages about wrong values.
pub const SETTINGS: &[Setting] = &[
    DEFAULT_BRANCH,
    EMAILS_ENABLED,
    GIT_ACCESS,
    IP_RANGES,
    EMAIL_DOMAINS,
    MEMBERSHIP_LOCK,
    RESOLVED_BEFORE_MERGE,
    PIPELINE_BEFORE_MERGE,
    NO_FORKING_OUTSIDE,
    NO_SHARING_OUTSIDE,
    ACCESS_TOKENS,
    Setting::switch(
        "allow_merge_on_skipped_pipeline",
        false,
        NO_CI,
        "A skipped pipeline counts as successful where merging requires one.",
    ),
    Setting::switch(
        "allow_personal_snippets",
        true,
        Effect::Stored("personal snippets do not depend on groups"),
        "Members may have snippets of their own.",
    ),
    Setting::switch(
        "auto_devops_enabled",
        false,
        Effect::Stored("there are no preset pipelines"),
        "A preset pipeline runs in projects that have none.",
    ),
    Setting::switch(
        "lock_math_rendering_limits_enabled",
        false,
        NO_MATH_LIMITS,
        "Groups below may not change the limits of formulas.",
    ),
    Setting::switch(
        "mentions_disabled",
        false,
        Effect::Stored("a text that names a group calls none of its members in any case"),
        "A text that names the group calls none of its members.",
    ),
    Setting::switch("math_rendering_limits_enabled", true, NO_MATH_LIMITS, "Formulas in texts are limited."),
    Setting::text(
        "max_artifacts_size",
        Kind::Number { least: 1, most: Kind::MOST },
        NO_CI,
        "Megabytes that the artifacts of a job may have; as for all groups if it is null.",
    ),
    Setting::new(
        "shared_runners_setting",
        Kind::Word(&["enabled", "disabled_and_overridable", "disabled_and_unoverridable"]),
        DefaultValue::Text("enabled"),
        NO_CI,
        "Whether runners of all groups run jobs of its projects.",
    ),
    Setting::switch(
        "web_based_commit_signing_enabled",
        false,
        Effect::Stored("the server signs no commits"),
        "Commits made on pages are signed by the server.",
    ),
    Setting::new(
        "wiki_access_level",
        Kind::Word(LEVELS),
        DefaultValue::Text("enabled"),
        Effect::Stored("groups have no wikis"),
        "Who has the wiki of the group.",
    ),
];

/// The settings that only a group at the top can have.
pub const TOP_LEVEL_ONLY: &[&Setting] = &[&IP_RANGES, &NO_SHARING_OUTSIDE, &ACCESS_TOKENS];

/// The settings that only owners read.
pub const OWNERS_ONLY: &[&Setting] = &[&IP_RANGES, &EMAIL_DOMAINS];

/// True if this setting is one of `among`.
#[must_use]
pub fn is_among(setting: &Setting, among: &[&Setting]) -> bool {
    among.iter().any(|other| other.name == setting.name)
}

/// The setting of that name, which is no alias.
#[must_use]
pub fn find_setting(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

/// The settings as a Markdown table (docs/fields.md).
#[must_use]
pub fn page() -> String {
    markdown_table(SETTINGS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::assert_valid;

    #[test]
    fn names_are_unique_and_defaults_are_valid() {
        assert_valid(SETTINGS, &[]);
        assert!(TOP_LEVEL_ONLY.iter().chain(OWNERS_ONLY).all(|setting| find_setting(setting.name).is_some()));
    }
}

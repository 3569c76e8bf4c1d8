//! Groups and projects.

use super::OBEYED;
use crate::settings::kind::Kind;
use crate::settings::setting::{DefaultValue, Effect, Setting};

const VISIBILITIES: Kind = Kind::Word(&["private", "internal", "public"]);
const PRIVATE: DefaultValue = DefaultValue::Text("private");
const DEFAULT_SOURCES: &[&str] = &["github", "bitbucket", "gitlab", "google_code", "fogbugz", "git", "gitlab_project"];
const SOURCES: &[&str] = &[
    "github",
    "bitbucket",
    "gitlab",
    "google_code",
    "fogbugz",
    "git",
    "gitlab_project",
    "gitea",
    "manifest",
    "bitbucket_server",
];

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "default_group_visibility",
        VISIBILITIES,
        PRIVATE,
        OBEYED,
        "The visibility of a new group if the request does not say.",
    ),
    Setting::new(
        "default_project_visibility",
        VISIBILITIES,
        PRIVATE,
        OBEYED,
        "The visibility of a new project if the request does not say.",
    ),
    Setting::new(
        "default_snippet_visibility",
        VISIBILITIES,
        PRIVATE,
        Effect::Stored("there are no snippets"),
        "The visibility of a new snippet if the request does not say.",
    ),
    Setting::new(
        "restricted_visibility_levels",
        Kind::Words(&["private", "internal", "public"]),
        DefaultValue::Null,
        OBEYED,
        "Visibilities that only administrators give to groups and projects. `public` also hides users from anonymous callers.",
    ),
    Setting::new(
        "default_branch_protection",
        Kind::BranchProtection,
        DefaultValue::Number(2),
        OBEYED,
        "How the default branch of a new project is protected: 0 not at all, 1 developers push, 2 only maintainers, 3 developers merge, 4 only maintainers after the first push. `default_branch_protection_defaults` is the same in parts.",
    ),
    Setting::text(
        "default_branch_name",
        Kind::Branch,
        OBEYED,
        "The first branch of a repository that the server makes; `main` if it is null.",
    ),
    Setting::new(
        "import_sources",
        Kind::Words(SOURCES),
        DefaultValue::List(DEFAULT_SOURCES),
        OBEYED,
        "The sources of imports. Here only `git` matters: it permits `import_url`.",
    ),
    Setting::number("max_attachment_size", 1, 10, OBEYED, "Megabytes that an uploaded file may have."),
    Setting::switch(
        "project_export_enabled",
        true,
        Effect::Stored("projects cannot be exported"),
        "Projects can be exported.",
    ),
    Setting::switch(
        "mirror_available",
        true,
        Effect::Stored("there are no mirrors"),
        "Users may set up mirrors, and not only administrators.",
    ),
];

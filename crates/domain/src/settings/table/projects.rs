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
        OBEYED,
        "The visibility that the form for a new snippet offers first. The API takes `internal` if the request does not say.",
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
    Setting::switch("mirror_available", true, OBEYED, "Users may set up mirrors, and not only administrators."),
    Setting::new(
        "default_project_creation",
        Kind::OneOf(&[0, 1, 2, 3, 4]),
        DefaultValue::Number(1),
        OBEYED,
        "Who creates projects in a new group if the request does not say: 0 and 3 none, 1 maintainers, 2 developers and \
         maintainers, 4 owners.",
    ),
    Setting::switch(
        "allow_project_creation_for_guest_and_below",
        true,
        OBEYED,
        "Users whose highest role is guest, or who have none, may create personal projects.",
    ),
    Setting::switch(
        "group_owners_can_manage_default_branch_protection",
        true,
        OBEYED,
        "Owners of groups set how first branches are protected; without it, only administrators.",
    ),
    Setting::text(
        "file_template_project_id",
        Kind::Number { least: 1, most: Kind::MOST },
        Effect::Stored("templates of files are those of the server"),
        "The project whose files are templates.",
    ),
];

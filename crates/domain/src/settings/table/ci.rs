//! CI, pages of projects and packages.

use super::{LINE, NO_CI, OBEYED, TEXT};
use crate::settings::kind::Kind;
use crate::settings::setting::{DefaultValue, Effect, Setting};

const NO_PROJECT_PAGES: Effect = Effect::Stored("projects have no pages");

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
];

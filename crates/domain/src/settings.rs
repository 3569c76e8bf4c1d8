//! Application settings that rules depend on (specification 3, Application settings).

use crate::visibility::Visibility;

/// The settings that are in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Visibility of a project created without saying.
    pub default_project_visibility: Visibility,
    /// Visibility of a group created without saying.
    pub default_group_visibility: Visibility,
    /// Personal projects a new user may have.
    pub default_projects_limit: i64,
    /// Levels that only administrators may choose; `None` on a fresh server.
    pub restricted_visibility_levels: Option<Vec<Visibility>>,
    /// Whether new users are external unless said otherwise.
    pub user_default_external: bool,
    /// Whether users without an avatar get one from the avatar service.
    pub avatarservice_enabled: bool,
    /// The largest upload, in megabytes.
    pub max_attachment_size: i64,
    /// Whether hooks may point into the local network.
    pub allow_local_requests_from_hooks_and_services: bool,
    /// Whether new projects may use shared runners.
    pub shared_runners_enabled: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            default_project_visibility: Visibility::Private,
            default_group_visibility: Visibility::Private,
            default_projects_limit: 100_000,
            restricted_visibility_levels: None,
            user_default_external: false,
            avatarservice_enabled: true,
            max_attachment_size: 10,
            allow_local_requests_from_hooks_and_services: false,
            shared_runners_enabled: true,
        }
    }
}

impl Settings {
    /// Whether only administrators may choose `visibility`.
    #[must_use]
    pub fn restricts(&self, visibility: Visibility) -> bool {
        self.restricted_visibility_levels.as_ref().is_some_and(|levels| levels.contains(&visibility))
    }
}

//! Application settings that rules depend on.

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
    /// Whether users without an avatar get one from the avatar service, which learns who sees whom, and whose addresses
    /// are hashes of e-mail addresses that anyone can try. Off unless an administrator switches it on.
    pub avatarservice_enabled: bool,
    /// The largest upload, in megabytes.
    pub max_attachment_size: i64,
    /// Whether hooks may point into the local network.
    pub allow_local_requests_from_hooks_and_services: bool,
    /// Whether new projects may use shared runners.
    pub shared_runners_enabled: bool,
    /// How the default branch is protected at the first push.
    pub default_branch_protection: BranchProtection,
    /// Over which protocol Git works; both where nothing is said.
    pub enabled_git_access_protocol: Option<GitAccess>,
    /// Whether Git takes account passwords, and not only tokens.
    pub password_authentication_enabled_for_git: bool,
}

/// How a default branch is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchProtection {
    /// 0: not at all.
    None,
    /// 1: developers may push, but not rewrite.
    Partial,
    /// 2: only maintainers push.
    Full,
}

impl BranchProtection {
    /// The protection of that number.
    #[must_use]
    pub const fn from_value(value: i64) -> Option<Self> {
        match value {
            0 => Some(Self::None),
            1 => Some(Self::Partial),
            2 => Some(Self::Full),
            _ => None,
        }
    }
}

/// A protocol over which Git works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitAccess {
    /// HTTP alone.
    Http,
    /// SSH alone.
    Ssh,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            default_project_visibility: Visibility::Private,
            default_group_visibility: Visibility::Private,
            default_projects_limit: 100_000,
            restricted_visibility_levels: None,
            user_default_external: false,
            avatarservice_enabled: false,
            max_attachment_size: 10,
            allow_local_requests_from_hooks_and_services: false,
            shared_runners_enabled: true,
            default_branch_protection: BranchProtection::Full,
            enabled_git_access_protocol: None,
            password_authentication_enabled_for_git: true,
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

//! Mirrors as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::project::MirrorView;
use tenon_domain::id::UserId;
use tenon_domain::project::mirror::Mirror;
use utoipa::ToSchema;

/// How a project follows a repository of another server.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MirrorOptionsDto {
    /// True if branches and tags are fetched from `import_url` every 30 minutes.
    mirror: bool,
    /// In whose name they move.
    mirror_user_id: Option<i64>,
    /// Stored only: pipelines are run by other programs.
    mirror_trigger_builds: bool,
    only_mirror_protected_branches: bool,
    mirror_overwrites_diverged_branches: bool,
    /// The regular expression that is found in the names of the branches that follow.
    mirror_branch_regex: Option<String>,
}

/// The state of a mirror.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MirrorDto {
    /// The id of the project.
    id: i64,
    /// The reason why the last update has failed, or the branches and tags that it has left out.
    last_error: Option<String>,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    last_successful_update_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    last_update_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    last_update_started_at: Option<DateTime<Utc>>,
    /// `none`, `scheduled`, `started`, `finished` or `failed`.
    update_status: &'static str,
    /// The address of the other repository, without credentials.
    url: Option<String>,
}

impl From<Mirror> for MirrorOptionsDto {
    fn from(mirror: Mirror) -> Self {
        Self {
            mirror: mirror.enabled,
            mirror_user_id: mirror.user.map(UserId::get),
            mirror_trigger_builds: mirror.trigger_builds,
            only_mirror_protected_branches: mirror.only_protected_branches,
            mirror_overwrites_diverged_branches: mirror.overwrites_diverged_branches,
            mirror_branch_regex: mirror.branch_regex,
        }
    }
}

impl From<MirrorView> for MirrorDto {
    fn from(MirrorView { mirror, url }: MirrorView) -> Self {
        Self {
            id: mirror.project.get(),
            last_error: mirror.last_error,
            last_successful_update_at: mirror.succeeded_at,
            last_update_at: mirror.ended_at,
            last_update_started_at: mirror.started_at,
            update_status: mirror.status.as_str(),
            url,
        }
    }
}

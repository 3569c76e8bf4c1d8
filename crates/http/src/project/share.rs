//! Sharing projects with groups.

use chrono::NaiveDate;
use tenon_app::Reference;
use tenon_app::project::{self, ShareProject};
use tenon_domain::id::NamespaceId;
use tenon_domain::member::Share;
use tenon_edge::error::ApiError;

use crate::dto::project::ProjectShareDto;
use crate::endpoint::{Call, Created, NoContent};
use crate::params::level::SharedLevel;
use crate::params::params;

params! {
    /// A group to share with.
    pub(crate) struct ShareParams {
        /// The group.
        group_id: i64,
        /// The highest level that its members get.
        group_access: SharedLevel,
        /// The day on which the share expires.
        expires_at: Option<NaiveDate>,
    }
}

pub(super) async fn share(Call { caller, params }: Call<ShareParams>) -> Result<Created<ProjectShareDto>, ApiError> {
    let id = Reference::parse(caller.path("id"));
    let request = ShareProject {
        group: NamespaceId::new(params.group_id),
        level: params.group_access.into(),
        expires_at: params.expires_at,
    };
    let (project_id, share) = caller.write(move |command| project::share(command, &id, request)).await?;
    let Share { id, group, level, expires_at, .. } = share;
    Ok(Created(ProjectShareDto {
        id,
        project_id: project_id.get(),
        group_id: group.get(),
        group_access: level.value(),
        expires_at,
    }))
}

pub(super) async fn unshare(call: Call<()>) -> Result<NoContent, ApiError> {
    let id = Reference::parse(call.path("id"));
    let group = NamespaceId::new(call.path_i64("group_id")?);
    call.write(move |command| project::unshare(command, &id, group)).await?;
    Ok(NoContent)
}

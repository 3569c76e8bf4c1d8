//! Forks.

use tenon_app::Reference;
use tenon_app::project::{self, ForkProject};
use tenon_domain::visibility::Visibility;
use tenon_edge::error::ApiError;

use crate::dto::project::ProjectDto;
use crate::endpoint::{Call, Changed, Created, NoContent};
use crate::params::params;

params! {
    /// A new fork.
    pub(crate) struct ForkParams {
        /// The namespace, by id or path; the caller's own by default.
        namespace | namespace_path: Option<String>,
        /// The id of the namespace.
        namespace_id: Option<i64>,
        /// The display name.
        name: Option<String>,
        /// The path.
        path: Option<String>,
        /// The visibility; not higher than that of the source.
        visibility: Option<Visibility>,
        /// The description; that of the source by default.
        description: Option<String>,
        /// The only branch that is copied, which becomes the default branch; all by default.
        branches: Option<String>,
        /// True if new merge requests target the fork itself; no by default.
        mr_default_target_self: Option<bool>,
    }
}

pub(super) async fn fork(Call { caller, params }: Call<ForkParams>) -> Result<Created<ProjectDto>, ApiError> {
    let source = Reference::parse(caller.path("id"));
    let by_id = params.namespace_id.map(Reference::Id);
    let request = ForkProject {
        namespace: params.namespace.filter(|name| !name.is_empty()).map(|name| Reference::parse(&name)).or(by_id),
        name: params.name,
        path: params.path,
        visibility: params.visibility,
        description: params.description,
        branch: params.branches,
        targets_itself: params.mr_default_target_self,
    };
    let view = caller.write(move |command| project::fork(command, &source, request)).await?;
    Ok(Created(ProjectDto::present(view)))
}

pub(super) async fn relate(call: Call<()>) -> Result<Created<ProjectDto>, ApiError> {
    let fork = Reference::parse(call.path("id"));
    let source = Reference::Id(call.path_i64("forked_from_id")?);
    let view = call.write(move |command| project::relate(command, &fork, &source)).await?;
    Ok(Created(ProjectDto::present(view)))
}

pub(super) async fn unrelate(call: Call<()>) -> Result<Changed<NoContent>, ApiError> {
    let fork = Reference::parse(call.path("id"));
    let was_fork = call.write(move |command| project::unrelate(command, &fork)).await?;
    Ok(if was_fork { Changed::Yes(NoContent) } else { Changed::No })
}

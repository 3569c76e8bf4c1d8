//! Pipelines with what answers show of them.

use tenon_domain::access::AccessLevel;
use tenon_domain::id::ProjectId;
use tenon_domain::project::setting::{JOBS, REPOSITORY};
use tenon_domain::project::{FeatureLevel, Project, ProjectAction};
use tenon_storage::pipeline::Pipeline;
use tenon_storage::project::{self, ProjectWithNamespace};

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::authorization::AuthorizedProject;
use crate::shared::views::user_ref::UserRef;

/// A pipeline as answers show it.
#[derive(Debug, Clone)]
pub struct PipelineView {
    /// The pipeline.
    pub pipeline: Pipeline,
    /// Who set it going.
    pub user: Option<UserRef>,
    /// Its page.
    pub web_url: String,
    /// How long it took, in seconds.
    pub duration: Option<i64>,
}

/// True if the caller may see the pipelines of a project.
pub(crate) fn may_see(found: &AuthorizedProject) -> bool {
    let features = &found.project.features;
    let open = features.public_jobs || found.standing.at_least(AccessLevel::Reporter);
    found.may(ProjectAction::Read) && found.has(&JOBS) && found.has(&REPOSITORY) && open
}

/// Those of these projects whose pipelines the caller may see, as [`may_see`] decides for one.
pub(crate) fn shown_of(query: &mut Query<'_>, ids: &[ProjectId]) -> Result<Vec<ProjectWithNamespace>, AppError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let (viewer, today) = (query.viewer(), query.today());
    let visible = project::visible_of(&mut query.tx, viewer, ids, today)?;
    let reporting = project::with_level(&mut query.tx, viewer, AccessLevel::Reporter, ids, today)?;
    let members = project::with_level(&mut query.tx, viewer, AccessLevel::Guest, ids, today)?;
    let is_for_members = |project: &Project, part| project.level(part) == FeatureLevel::Private;
    let may_see = |project: &Project| {
        let has = |part| project.has(part) && (members.contains(&project.id) || !is_for_members(project, part));
        let is_open = project.features.public_jobs || reporting.contains(&project.id);
        visible.contains(&project.id) && has(&JOBS) && has(&REPOSITORY) && is_open
    };
    let found = project::by_ids(&mut query.tx, ids)?.into_iter();
    Ok(found.filter(|placed| may_see(&placed.project)).collect())
}

/// The views of pipelines of one project, in their order.
pub(crate) fn views(
    query: &mut Query<'_>,
    found: &AuthorizedProject,
    pipelines: Vec<Pipeline>,
) -> Result<Vec<PipelineView>, AppError> {
    let people = UserRef::of(query, pipelines.iter().filter_map(|pipeline| pipeline.user).collect())?;
    let pages = query.app.links().pages(&found.full_path());
    Ok(pipelines
        .into_iter()
        .map(|pipeline| PipelineView {
            user: pipeline.user.and_then(|user| people.get(&user).cloned()),
            web_url: format!("{pages}/pipelines/{}", pipeline.id),
            duration: pipeline.started_at.zip(pipeline.finished_at).map(|(from, to)| (to - from).num_seconds()),
            pipeline,
        })
        .collect())
}

//! The requirements of a project and of the groups above it before a merge.

use std::collections::HashMap;

use tenon_domain::group::MergeRequirements;
use tenon_domain::id::ProjectId;
use tenon_domain::project::Project;
use tenon_storage::group;

use crate::core::app::Query;
use crate::core::error::AppError;

/// The requirements in this project.
pub(super) fn of(query: &mut Query<'_>, project: &Project) -> Result<MergeRequirements, AppError> {
    Ok(group::inherited_settings(&mut query.tx, project.namespace)?.merge_requirements(&project.features))
}

/// The requirements in each of these projects.
pub(super) fn of_all<'p>(
    query: &mut Query<'_>,
    projects: impl Iterator<Item = &'p Project> + Clone,
) -> Result<HashMap<ProjectId, MergeRequirements>, AppError> {
    let homes: Vec<_> = projects.clone().map(|project| project.namespace).collect();
    let inherited = group::inherited_settings_of_each(&mut query.tx, &homes)?;
    let requirements = |project: &Project| {
        let inherited = inherited.get(&project.namespace).cloned().unwrap_or_default();
        (project.id, inherited.merge_requirements(&project.features))
    };
    Ok(projects.map(requirements).collect())
}

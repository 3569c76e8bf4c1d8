//! Moving a project to another namespace.

use tenon_domain::group::GroupAction;
use tenon_domain::id::NamespaceId;
use tenon_domain::namespace::Namespace;
use tenon_domain::path;
use tenon_domain::project::ProjectAction;
use tenon_storage::{namespace, project};

use super::show::one;
use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::policy::reference::Reference;
use crate::shared::access::project_transfer::{move_to, refused};
use crate::shared::views::project_view::{Detail, ProjectView};

/// Those of these namespaces in which neither the name nor the path of a project is taken: the project could be moved
/// there, or forked under its own name.
pub fn targets(
    query: &mut Query<'_>,
    reference: &Reference,
    homes: Vec<Namespace>,
) -> Result<Vec<Namespace>, AppError> {
    let project = query.project(reference, ProjectAction::Read)?.project;
    let paths: Vec<String> = homes.iter().map(|home| home.path_of(&project.path)).collect();
    let ids: Vec<NamespaceId> = homes.iter().map(|home| home.id).collect();
    let taken = namespace::holders(&mut query.tx, &paths)?;
    let namesakes = project::with_name(&mut query.tx, &ids, &project.name)?;
    let is_free = |home: &Namespace| {
        !taken.contains_key(&path::key(&home.path_of(&project.path))) && !namesakes.contains(&home.id)
    };
    Ok(homes.into_iter().filter(is_free).collect())
}

/// Moves a project, whose owner asks, to a namespace in which they may create projects.
pub fn transfer(command: &mut Command<'_>, reference: &Reference, target: &Reference) -> Result<ProjectView, AppError> {
    let mut query = command.query();
    let found = query.project(reference, ProjectAction::Administer)?;
    let home = query.namespace(target, GroupAction::CreateProject).map_err(|error| match error {
        AppError::Forbidden => refused("Transfer failed, please contact an admin."),
        other => other,
    })?;
    let moved = move_to(command, found, &home)?;
    one(&mut command.query(), moved, Detail::default())
}

//! Moving a project to another namespace (reference: users-groups-auth-settings, section 13.8).

use tenon_domain::event::EventKind;
use tenon_domain::group::GroupAction;
use tenon_domain::namespace::{Namespace, NamespaceKind};
use tenon_domain::path::MAX_PATH;
use tenon_domain::project::ProjectAction;
use tenon_storage::project::Placed;
use tenon_storage::{namespace, project};

use super::show::one;
use super::view::{Detail, ProjectView};
use crate::access::{FoundProject, Reference};
use crate::context::Command;
use crate::error::AppError;
use crate::issuable::transfer::replace_left_behind;
use crate::issuable::unseen::lowered;

/// Moves a project, whose owner asks, to a namespace in which they may create projects.
pub fn transfer(command: &mut Command<'_>, reference: &Reference, target: &Reference) -> Result<ProjectView, AppError> {
    let mut query = command.query();
    let found = query.project(reference, ProjectAction::Administer)?;
    let home = query.namespace(target, GroupAction::CreateProject).map_err(|error| match error {
        AppError::Forbidden => refused("Transfer failed, please contact an admin."),
        other => other,
    })?;
    move_to(command, found, &home)
}

/// Moves a project that the caller may move into `home`, into which the caller may move it. A project more open than
/// its new group is lowered to it.
pub(crate) fn move_to(
    command: &mut Command<'_>,
    found: FoundProject,
    home: &Namespace,
) -> Result<ProjectView, AppError> {
    let mut project = found.project;
    if project.namespace == home.id {
        return Err(refused("Transfer failed, please contact an admin."));
    }
    let path = home.path_of(&project.path);
    if path.len() > MAX_PATH {
        return Err(refused("The project's path would be too long"));
    }
    let taken = namespace::holder(&mut command.tx, &path)?.is_some()
        || project::named(&mut command.tx, home.id, &project.name)?.is_some();
    if taken {
        return Err(refused("Project with same name or path in target namespace already exists"));
    }
    let before = project.visibility;
    project.namespace = home.id;
    project.updated_at = command.now;
    if home.kind == NamespaceKind::Group {
        project.visibility = project.visibility.min(home.visibility);
    }
    project::update(&mut command.tx, &project)?;
    project::relocate(&mut command.tx, &project, home)?;
    replace_left_behind(command, project.id)?;
    let mut forks = Vec::new();
    if project.visibility < before {
        forks = project::lower_forks(&mut command.tx, project.id, project.visibility)?;
    }
    lowered(command, project.id, &forks)?;
    let event = command.event(EventKind::ProjectTransferred).project(project.id).namespace(home.id);
    command.append(&event)?;
    one(&mut command.query(), Placed { project, home: home.clone() }, Detail::default())
}

fn refused(reason: &str) -> AppError {
    AppError::Refused(format!("Failed to transfer project {{:new_namespace=>[\"{reason}\"]}}"))
}

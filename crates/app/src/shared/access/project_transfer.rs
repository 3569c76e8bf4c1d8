//! Moving a project to another namespace.

use tenon_domain::event::EventKind;
use tenon_domain::hook::SystemEvent;
use tenon_domain::namespace::{Namespace, NamespaceKind};
use tenon_domain::path::MAX_PATH;
use tenon_storage::project::ProjectWithNamespace;
use tenon_storage::{namespace, project};

use crate::core::app::Command;
use crate::core::error::{AppError, Attempt};
use crate::policy::authorization::AuthorizedProject;
use crate::shared::access::inherited::replace_left_behind;
use crate::shared::access::revocation::enqueue_revocation_with_forks;
use crate::shared::access::system_event;

/// Moves a project that the caller may move into `home`, into which the caller may move it. A project more open than
/// its new group is lowered to it.
pub(crate) fn move_to(
    command: &mut Command<'_>,
    found: AuthorizedProject,
    home: &Namespace,
) -> Result<ProjectWithNamespace, AppError> {
    let mut project = found.project;
    let old_path = found.namespace.path_of(&project.path);
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
    enqueue_revocation_with_forks(command, project.id, &forks)?;
    system_event::of_project(command, SystemEvent::ProjectTransfer, &project, home, Some(&old_path))?;
    let event = command.event(EventKind::ProjectTransferred).project(project.id).namespace(home.id);
    command.append(&event)?;
    Ok(ProjectWithNamespace { project, home: home.clone() })
}

/// Refuses a transfer for a reason.
pub(crate) fn refused(reason: &str) -> AppError {
    AppError::rejected(Attempt::TransferProject, "new_namespace", reason)
}

//! Moving a project to another namespace.

use tenon_domain::event::EventKind;
use tenon_domain::hook::SystemEvent;
use tenon_domain::id::ProjectId;
use tenon_domain::namespace::{Namespace, NamespaceKind};
use tenon_domain::path::MAX_PATH;
use tenon_storage::namespace::PathHolder;
use tenon_storage::project::ProjectWithNamespace;
use tenon_storage::{namespace, project, user};

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
    // Everything that the account of a token owns goes with it.
    let is_of_bot = match home.owner {
        Some(owner) => user::is_bot(&mut command.tx, owner)?,
        None => false,
    };
    if project.namespace == home.id || is_of_bot {
        return Err(refused("Transfer failed, please contact an admin."));
    }
    let path = home.path_of(&project.path);
    if path.len() > MAX_PATH {
        return Err(refused("The project's path would be too long"));
    }
    let taken = namespace::holder(&mut command.tx, &path)?.is_some()
        || project::named(&mut command.tx, home.id, &project.name)?.is_some()
        || !leaves_wikis(command, &path, project.id)?;
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

/// True if `project` may have this path beside the wikis there: the wiki of `x` has the address `x.wiki`.
pub(crate) fn leaves_wikis(command: &mut Command<'_>, path: &str, project: ProjectId) -> Result<bool, AppError> {
    let beside = [of_wiki(path).map(ToOwned::to_owned), Some(format!("{path}{WIKI}"))];
    for beside in beside.into_iter().flatten() {
        let holder = namespace::holder(&mut command.tx, &beside)?;
        if holder.is_some_and(|holder| holder != PathHolder::Project(project)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The end of the path of a wiki.
const WIKI: &str = ".wiki";

/// The path of the project whose wiki has the address `path`, in letters of either case; `None` if that is no address of a wiki.
pub(crate) fn of_wiki(path: &str) -> Option<&str> {
    let (project, end) = path.split_at_checked(path.len().checked_sub(WIKI.len())?)?;
    end.eq_ignore_ascii_case(WIKI).then_some(project)
}

/// Refuses a transfer for a reason.
pub(crate) fn refused(reason: &str) -> AppError {
    AppError::rejected(Attempt::TransferProject, "new_namespace", reason)
}

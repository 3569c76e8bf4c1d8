//! Sharing a project with a group.

use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::event::EventKind;
use tenon_domain::group::GroupAction;
use tenon_domain::id::{NamespaceId, ProjectId};
use tenon_domain::member::Share;
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::ProjectRefusal;
use tenon_domain::time::Date;
use tenon_storage::{group, namespace, share as shares};

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::reference::Reference;
use crate::shared::access::revocation::{RevocationScope, enqueue_revocation};
use crate::shared::views::shares::{already_shared, check_shares};

/// A request to open something to a group.
#[derive(Debug, Clone, Copy)]
pub struct ShareProject {
    /// The group whose members come in.
    pub group: NamespaceId,
    /// The most that they get.
    pub level: AccessLevel,
    /// When it ends.
    pub expires_at: Option<Date>,
}

/// True if the group of a project, or a group above it, forbids sharing the project with groups.
pub fn sharing_is_locked(query: &mut Query<'_>, reference: &Reference) -> Result<bool, AppError> {
    let found = query.project(reference, ProjectAction::Read)?;
    Ok(group::sharing_is_locked(&mut query.tx, found.namespace.id)?)
}

/// Opens a project to the members of a group that the caller can see.
pub fn share(
    command: &mut Command<'_>,
    reference: &Reference,
    request: ShareProject,
) -> Result<(ProjectId, Share), AppError> {
    let mut query = command.query();
    let found = query.project(reference, ProjectAction::Share)?;
    let container = Container::Project(found.project.id);
    if request.level > container.highest_level() {
        return Err(AppError::invalid("group_access", "is not included in the list"));
    }
    let with = query.group(&Reference::Id(request.group.get()), GroupAction::Read)?.group;
    if group::sharing_is_locked(&mut query.tx, found.namespace.id)? {
        return Err(ProjectRefusal::SharingLocked.into());
    }
    if namespace::is_within(&mut query.tx, found.namespace.id, with.id())? {
        return Err(ProjectRefusal::SharedWithOwnGroup.into());
    }
    check_shares(command, container)?;
    let now = command.now;
    let id = shares::insert(&mut command.tx, container, with.id(), request.level, request.expires_at, now)
        .map_err(already_shared)?;
    let event = command.event(EventKind::ProjectUpdated).project(found.project.id).namespace(found.namespace.id);
    command.append(&event)?;
    Ok((
        found.project.id,
        Share { id, container, group: with.id(), level: request.level, expires_at: request.expires_at },
    ))
}

/// Closes a project to the members of a group.
pub fn unshare(command: &mut Command<'_>, reference: &Reference, group: NamespaceId) -> Result<(), AppError> {
    let found = command.query().project(reference, ProjectAction::Share)?;
    if !shares::delete(&mut command.tx, Container::Project(found.project.id), group)? {
        return Err(AppError::NotFound(Missing::GroupLink));
    }
    let event = command.event(EventKind::ProjectUpdated).project(found.project.id).namespace(found.namespace.id);
    command.append(&event)?;
    enqueue_revocation(command, RevocationScope::Project(found.project.id.get()))
}

//! Moving groups below other groups, and projects into groups.

use tenon_domain::event::EventKind;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::group::setting::TOP_LEVEL_ONLY;
use tenon_domain::group::{self, Group, GroupAction};
use tenon_domain::hook::SystemEvent;
use tenon_domain::id::NamespaceId;
use tenon_domain::namespace::{MAX_ANCESTORS, Namespace};
use tenon_domain::path::{self, Place};
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::{GroupRefusal, TransferObstacle};
use tenon_storage::{StoreError, UniqueKey, board, namespace, project};

use super::create::find;
use super::view::{Extras, GroupDetail, detail};
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::reference::Reference;
use crate::shared::access::inherited::replace_left_behind;
use crate::shared::access::namespace_paths::check_length;
use crate::shared::access::revocation::{RevocationScope, enqueue_revocation};
use crate::shared::access::system_event;

/// Moves a group below `target`, or to the top if there is none. The caller owns both.
pub fn transfer(
    command: &mut Command<'_>,
    reference: &Reference,
    target: Option<NamespaceId>,
) -> Result<GroupDetail, AppError> {
    let moved = command.query().group(reference, GroupAction::Administer)?.group;
    if moved.namespace.parent == target {
        return Err(refused(match target {
            None => TransferObstacle::AlreadyAtTop,
            Some(_) => TransferObstacle::AlreadyThere,
        }));
    }
    let parent = match target {
        None if command.user()?.can_create_group => None,
        None => return Err(refused(TransferObstacle::NotPermitted)),
        Some(id) => {
            let found = command.query().group(&Reference::Id(id.get()), GroupAction::Read)?;
            if !found.may(GroupAction::CreateSubgroup) {
                return Err(refused(TransferObstacle::NotPermitted));
            }
            Some(found.group.namespace)
        }
    };
    match &parent {
        None if path::check(&moved.namespace.path, Place::Top).is_err() => {
            return Err(refused(TransferObstacle::ReservedPath));
        }
        None => {}
        Some(parent) => {
            if namespace::is_within(&mut command.tx, parent.id, moved.id())? {
                return Err(refused(TransferObstacle::BelowItself));
            }
            let above = namespace::depth(&mut command.tx, parent.id)? + 1;
            if above + namespace::height(&mut command.tx, moved.id())? > MAX_ANCESTORS {
                return Err(refused(TransferObstacle::TooDeep));
            }
            if let Some(reason) = group::visibility_above_parent(moved.visibility(), parent.visibility) {
                return Err(refused(TransferObstacle::TooOpen(reason)));
            }
        }
    }
    let mut errors = FieldErrors::default();
    check_length(command, &mut errors, &moved.namespace, parent.as_ref(), &moved.namespace.path)?;
    if !errors.is_empty() {
        return Err(refused(TransferObstacle::PathTooLong));
    }
    let (name, last, now) = (&moved.namespace.name, &moved.namespace.path, command.now);
    namespace::relocate(&mut command.tx, &moved.namespace, parent.as_ref(), name, last, now).map_err(taken)?;
    end_settings_at_top(command, &moved, parent.as_ref())?;
    let below = namespace::subtree(&mut command.tx, moved.id())?;
    for project in project::ids_in(&mut command.tx, &below)? {
        replace_left_behind(command, project)?;
    }
    board::delete_left_behind(&mut command.tx, moved.id())?;
    enqueue_revocation(command, RevocationScope::Group(moved.id().get()))?;
    let event = command.event(EventKind::GroupUpdated).namespace(moved.id());
    command.append(&event)?;
    let stored = find(command, moved.id())?;
    let old_path = &moved.namespace.full_path;
    if stored.namespace.full_path != *old_path {
        system_event::of_group(command, SystemEvent::GroupRename, &stored.namespace, Some(old_path))?;
    }
    detail(&mut command.query(), stored, true, Extras::for_owner())
}

/// Settings that only a group at the top can have end if it goes below another; those of the new top take their place.
fn end_settings_at_top(command: &mut Command<'_>, moved: &Group, parent: Option<&Namespace>) -> Result<(), AppError> {
    let mut after = find(command, moved.id())?;
    for setting in TOP_LEVEL_ONLY {
        after.settings.set(setting, setting.default.value());
    }
    tenon_storage::group::update(&mut command.tx, &after)?;
    let ranges = parent.and_then(|parent| parent.ip_ranges.as_deref());
    Ok(tenon_storage::group::set_ip_ranges_below(&mut command.tx, moved.id(), ranges)?)
}

fn taken(error: StoreError) -> AppError {
    match error {
        StoreError::Unique(UniqueKey::FullPath) => refused(TransferObstacle::PathTaken),
        other => other.into(),
    }
}

fn refused(obstacle: TransferObstacle) -> AppError {
    GroupRefusal::Transfer(obstacle).into()
}

/// Moves a project into a group; administrators only, which is the route's guard.
pub fn transfer_project(
    command: &mut Command<'_>,
    group: &Reference,
    project: &Reference,
) -> Result<GroupDetail, AppError> {
    let mut query = command.query();
    let group = query.group(group, GroupAction::CreateProject)?.group;
    let found = query.project(project, ProjectAction::Administer)?;
    crate::shared::access::project_transfer::move_to(command, found, &group.namespace)?;
    detail(&mut command.query(), group, true, Extras::for_owner())
}

//! Editing groups.

use tenon_domain::avatar::Avatar;
use tenon_domain::event::EventKind;
use tenon_domain::field_errors::{FieldErrors, TAKEN};
use tenon_domain::group::setting::IP_RANGES;
use tenon_domain::group::{self, Group, GroupAction};
use tenon_domain::hook::SystemEvent;
use tenon_domain::patch::Patch;
use tenon_domain::path::Place;
use tenon_domain::visibility::Visibility;
use tenon_storage::{StoreError, UniqueKey, namespace};

use super::create::find;
use super::settings::{GroupSettings, check_table, set_ip_ranges};
use super::view::{Extras, GroupDetail, detail};
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::reference::Reference;
use crate::shared::access::namespace_paths::check_length;
use crate::shared::access::revocation::{RevocationScope, enqueue_revocation};
use crate::shared::access::system_event;

/// A request to change a group; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct EditGroup {
    /// Display name.
    pub name: Option<String>,
    /// Last segment of the path; everything below moves along.
    pub path: Option<String>,
    /// How open it is.
    pub visibility: Option<Visibility>,
    /// Everything else.
    pub settings: GroupSettings,
    /// A picture that has been stored, or none.
    pub avatar: Patch<Avatar>,
}

/// Changes a group.
pub fn edit(command: &mut Command<'_>, reference: &Reference, request: EditGroup) -> Result<GroupDetail, AppError> {
    let before = command.query().group(reference, GroupAction::Administer)?.group;
    let mut after = before.clone();
    after.namespace.name = request.name.unwrap_or(after.namespace.name);
    after.namespace.path = request.path.unwrap_or(after.namespace.path);
    after.namespace.visibility = request.visibility.unwrap_or(after.namespace.visibility);
    let mut errors = FieldErrors::default();
    request.settings.check(&mut errors);
    request.settings.permitted(command)?.apply(&mut after);
    after.namespace.avatar = request.avatar.apply(after.namespace.avatar);
    after.updated_at = command.now;
    let parent = match before.namespace.parent {
        None => None,
        Some(id) => Some(find(command, id)?.namespace),
    };
    let place = if parent.is_some() { Place::Below } else { Place::Top };
    group::check(&mut errors, place, &after.namespace.name, &after.namespace.path, &after.description);
    check_table(&mut errors, place, &after);
    if after.visibility() != before.visibility() {
        check_visibility(command, &mut errors, &after, parent.as_ref().map(|parent| parent.visibility))?;
    }
    check_length(command, &mut errors, &before.namespace, parent.as_ref(), &after.namespace.path)?;
    errors.into_result()?;
    tenon_storage::group::update(&mut command.tx, &after)?;
    if after.settings.of(&IP_RANGES) != before.settings.of(&IP_RANGES) {
        set_ip_ranges(command, &after)?;
    }
    if after.share_with_group_lock && !before.share_with_group_lock {
        tenon_storage::group::lock_sharing_below(&mut command.tx, before.id())?;
    }
    let place = |group: &Group| (group.namespace.name.clone(), group.namespace.path.clone(), group.visibility());
    if place(&after) != place(&before) {
        let (name, path, now) = (&after.namespace.name, &after.namespace.path, command.now);
        namespace::relocate(&mut command.tx, &before.namespace, parent.as_ref(), name, path, now)
            .map_err(path_taken)?;
    }
    crate::shared::files::avatar::discard_replaced(
        command,
        before.namespace.avatar.as_ref(),
        after.namespace.avatar.as_ref(),
    )?;
    if after.visibility() < before.visibility() {
        enqueue_revocation(command, RevocationScope::Group(before.id().get()))?;
    }
    let event = command.event(EventKind::GroupUpdated).namespace(before.id());
    command.append(&event)?;
    let stored = find(command, before.id())?;
    let old_path = &before.namespace.full_path;
    if stored.namespace.full_path != *old_path {
        system_event::of_group(command, SystemEvent::GroupRename, &stored.namespace, Some(old_path))?;
    }
    detail(&mut command.query(), stored, true, Extras::for_owner())
}

/// Notes what the groups above and below, the projects, and the administrators' restrictions forbid.
fn check_visibility(
    command: &mut Command<'_>,
    errors: &mut FieldErrors,
    group: &Group,
    parent: Option<Visibility>,
) -> Result<(), AppError> {
    let wanted = group.visibility();
    if let Some(message) = parent.and_then(|parent| group::visibility_above_parent(wanted, parent)) {
        errors.add("visibility_level", message);
    }
    if command.query().settings()?.restricts(wanted) && !command.viewer().is_admin() {
        errors.add("visibility_level", group::visibility_restricted(wanted));
    }
    let (subgroups, projects) = tenon_storage::group::most_open_below(&mut command.tx, group.id())?;
    let word = wanted.as_str();
    if projects.is_some_and(|open| open > wanted) {
        let text = format!("{word} is not allowed since this group contains projects with higher visibility.");
        errors.add("visibility_level", text);
    }
    if subgroups.is_some_and(|open| open > wanted) {
        let text = format!("{word} is not allowed since there are sub-groups with higher visibility.");
        errors.add("visibility_level", text);
    }
    Ok(())
}

/// A path that is taken.
pub(super) fn path_taken(error: StoreError) -> AppError {
    match error {
        StoreError::Unique(UniqueKey::FullPath) => AppError::invalid("path", TAKEN),
        other => other.into(),
    }
}

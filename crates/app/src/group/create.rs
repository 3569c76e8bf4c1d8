//! Creating groups.

use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::event::EventKind;
use tenon_domain::field_errors::{FieldErrors, TAKEN};
use tenon_domain::group::setting::IP_RANGES;
use tenon_domain::group::{self, Group, GroupAction};
use tenon_domain::hook::SystemEvent;
use tenon_domain::id::{NamespaceId, UserId};
use tenon_domain::member::Member;
use tenon_domain::namespace::{CreationLevel, MAX_ANCESTORS, Namespace, NamespaceKind};
use tenon_domain::path::{MAX_PATH, Place};
use tenon_domain::visibility::Visibility;
use tenon_storage::namespace::NewNamespace;
use tenon_storage::{StoreError, UniqueKey, member, namespace};

use super::settings::{GroupSettings, check_table, set_ip_ranges};
use super::view::{Extras, GroupDetail, detail};
use crate::core::app::Command;
use crate::core::error::{AppError, Attempt, Missing};
use crate::policy::quota::check_number;
use crate::policy::reference::Reference;
use crate::shared::access::system_event::{self, Membership};

/// A request for a new group.
#[derive(Debug, Clone)]
pub struct CreateGroup {
    /// Display name.
    pub name: String,
    /// Last segment of the path.
    pub path: String,
    /// How open it is; the setting's answer if absent.
    pub visibility: Option<Visibility>,
    /// Everything else.
    pub settings: GroupSettings,
    /// The group above.
    pub parent: Option<NamespaceId>,
}

/// Creates a group, of which the caller becomes the owner.
pub fn create(command: &mut Command<'_>, request: CreateGroup) -> Result<GroupDetail, AppError> {
    let parent = parent(command, request.parent)?;
    let settings = command.query().settings()?;
    let visibility = request.visibility.unwrap_or_else(|| {
        let roof = parent.as_ref().map_or(Visibility::Public, |parent| parent.visibility);
        settings.default_group_visibility.min(roof)
    });
    let description = request.settings.description.clone().unwrap_or_default();
    let place = if parent.is_some() { Place::Below } else { Place::Top };
    let mut errors = FieldErrors::default();
    group::check(&mut errors, place, &request.name, &request.path, &description);
    request.settings.check(&mut errors);
    if settings.restricts(visibility) && !command.viewer().is_admin() {
        errors.add("visibility_level", group::visibility_restricted(visibility));
    }
    if let Some(parent) = &parent {
        check_below(command, &mut errors, parent, &request.path, visibility)?;
    }
    errors.into_result().map_err(|errors| AppError::Rejected(Attempt::SaveGroup, errors))?;
    let user = command.user()?;
    // The group would have no owner when the bot is removed.
    if user.bot {
        return Err(AppError::Forbidden);
    }
    let user = user.id;
    check_room(command, user)?;
    let new = NewNamespace {
        kind: NamespaceKind::Group,
        owner: None,
        parent: parent.as_ref(),
        name: &request.name,
        path: &request.path,
        visibility,
        at: command.now,
    };
    let id = namespace::insert(&mut command.tx, &new).map_err(|error| match error {
        StoreError::Unique(UniqueKey::FullPath) => AppError::rejected(Attempt::SaveGroup, "path", TAKEN),
        other => other.into(),
    })?;
    let mut created = find(command, id)?;
    created.namespace.creation.projects = CreationLevel::of_setting(settings.default_project_creation);
    request.settings.permitted(command)?.apply(&mut created);
    let mut errors = FieldErrors::default();
    check_table(&mut errors, place, &created);
    errors.into_result().map_err(|errors| AppError::Rejected(Attempt::SaveGroup, errors))?;
    if let Some(parent) = &parent {
        created.share_with_group_lock |= tenon_storage::group::sharing_is_locked(&mut command.tx, parent.id)?;
    }
    tenon_storage::group::update(&mut command.tx, &created)?;
    if created.settings.text_of(&IP_RANGES).is_some() {
        set_ip_ranges(command, &created)?;
    }
    system_event::of_group(command, SystemEvent::GroupCreate, &created.namespace, None)?;
    let owner = Member {
        container: Container::Group(id),
        user,
        level: AccessLevel::Owner,
        expires_at: None,
        created_at: command.now,
        created_by: command.viewer().user(),
        updated_at: command.now,
    };
    member::insert(&mut command.tx, &owner)?;
    system_event::of_member(command, Membership::Begun, &owner)?;
    let event = command.event(EventKind::GroupCreated).namespace(id);
    command.append(&event)?;
    detail(&mut command.query(), created, true, Extras::for_owner())
}

/// Refuses one more group of a user who has made as many as one user may, and owns them still.
fn check_room(command: &mut Command<'_>, user: UserId) -> Result<(), AppError> {
    if command.viewer().is_admin() {
        return Ok(());
    }
    let most = command.app.limits().contents.groups_per_user;
    let made = member::count_groups_made(&mut command.tx, user, i64::try_from(most).unwrap_or(i64::MAX))?;
    check_number(made, most, "A user", "groups that the user has made and owns")
}

/// The group above, if the caller may put groups there; without one, the caller must be allowed groups at the top.
fn parent(command: &mut Command<'_>, id: Option<NamespaceId>) -> Result<Option<Namespace>, AppError> {
    match id {
        Some(id) => {
            let found = command.query().group(&Reference::Id(id.get()), GroupAction::CreateSubgroup)?;
            Ok(Some(found.group.namespace))
        }
        None if command.user()?.can_create_group => Ok(None),
        None => Err(AppError::Forbidden),
    }
}

/// Notes what the place below `parent` forbids.
fn check_below(
    command: &mut Command<'_>,
    errors: &mut FieldErrors,
    parent: &Namespace,
    path: &str,
    visibility: Visibility,
) -> Result<(), AppError> {
    if let Some(message) = group::visibility_above_parent(visibility, parent.visibility) {
        errors.add("visibility_level", message);
    }
    if namespace::depth(&mut command.tx, parent.id)? >= MAX_ANCESTORS {
        errors.add("parent_id", "has too deep level of nesting");
    }
    if parent.full_path.len() + 1 + path.len() > MAX_PATH && path.len() <= MAX_PATH {
        errors.add("path", format!("is too long (maximum is {MAX_PATH} characters)"));
    }
    Ok(())
}

/// The group of that id, as it now is.
pub(super) fn find(command: &mut Command<'_>, id: NamespaceId) -> Result<Group, AppError> {
    tenon_storage::group::find(&mut command.tx, id)?.ok_or(AppError::NotFound(Missing::Group))
}

//! Sharing a group with another group.

use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::event::EventKind;
use tenon_domain::group::GroupAction;
use tenon_domain::group::setting::NO_SHARING_OUTSIDE;
use tenon_domain::id::NamespaceId;
use tenon_domain::refusal::GroupRefusal;
use tenon_domain::time::Date;
use tenon_storage::{namespace, share as shares};

use super::view::{Extras, GroupDetail, detail};
use crate::core::app::Command;
use crate::core::error::{AppError, Missing};
use crate::policy::reference::Reference;
use crate::shared::access::revocation::{RevocationScope, enqueue_revocation};
use crate::shared::views::shares::{already_shared, check_shares};

/// Opens a group to the members of another group that the caller can see.
pub fn share(
    command: &mut Command<'_>,
    reference: &Reference,
    with: NamespaceId,
    level: AccessLevel,
    expires_at: Option<Date>,
) -> Result<GroupDetail, AppError> {
    let mut query = command.query();
    let group = query.group(reference, GroupAction::Administer)?.group;
    let with = query.group(&Reference::Id(with.get()), GroupAction::Read)?.group;
    if namespace::is_within(&mut query.tx, group.id(), with.id())? {
        return Err(GroupRefusal::SharedWithItself.into());
    }
    let inherited = tenon_storage::group::inherited_settings(&mut query.tx, group.id())?;
    if let Some(top) = inherited.nearest_on(&NO_SHARING_OUTSIDE)
        && !namespace::is_within(&mut query.tx, with.id(), top)?
    {
        return Err(GroupRefusal::SharedOutside.into());
    }
    let (container, now) = (Container::Group(group.id()), command.now);
    check_shares(command, container)?;
    shares::insert(&mut command.tx, container, with.id(), level, expires_at, now).map_err(already_shared)?;
    let event = command.event(EventKind::GroupUpdated).namespace(group.id());
    command.append(&event)?;
    detail(&mut command.query(), group, true, Extras::for_owner())
}

/// Closes a group to the members of another group.
pub fn unshare(command: &mut Command<'_>, reference: &Reference, with: NamespaceId) -> Result<(), AppError> {
    let group = command.query().group(reference, GroupAction::Administer)?.group;
    if !shares::delete(&mut command.tx, Container::Group(group.id()), with)? {
        return Err(AppError::NotFound(Missing::GroupLink));
    }
    let event = command.event(EventKind::GroupUpdated).namespace(group.id());
    command.append(&event)?;
    enqueue_revocation(command, RevocationScope::Group(group.id().get()))
}

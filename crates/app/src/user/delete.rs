//! Removing accounts.

use tenon_domain::event::EventKind;
use tenon_domain::id::UserId;
use tenon_domain::refusal::UserRefusal;
use tenon_domain::time::Timestamp;
use tenon_domain::user::UserAction;
use tenon_storage::{group, user};

use super::edit::keep_an_administrator;
use crate::core::app::Command;
use crate::core::confirmation::Confirmed;
use crate::core::error::AppError;
use crate::policy::precondition::check_unmodified;
use crate::shared::access::account_removal;

/// Hides an account and asks for its removal; administrators only. Groups that only this user owns stand in the way,
/// unless `hard` says that they go as well.
pub fn delete(
    command: &mut Command<'_>,
    id: UserId,
    hard: bool,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let found = command.query().account(id, UserAction::Administer)?;
    check_unmodified(found.updated_at, unmodified_since)?;
    if found.ghost || command.viewer().user() == Some(id) {
        return Err(UserRefusal::NotRemovable.into());
    }
    keep_an_administrator(command, &found, false)?;
    remove(command, id, hard)
}

/// Hides the caller's own account and asks for its removal, as [`delete`] does without `hard`. Fails with 403 if the settings
/// reserve that for administrators.
pub fn delete_own(command: &mut Command<'_>, confirmed: Confirmed) -> Result<(), AppError> {
    command.refuse_impersonated()?;
    let found = command.user()?.clone();
    confirmed.check(found.id)?;
    if !command.query().settings()?.accounts.may_delete_own {
        return Err(AppError::Forbidden);
    }
    keep_an_administrator(command, &found, false)?;
    remove(command, found.id, false)
}

/// Hides an account and asks for its removal. Groups that only this user owns stand in the way, unless `hard` says that they go
/// as well.
pub(super) fn remove(command: &mut Command<'_>, id: UserId, hard: bool) -> Result<(), AppError> {
    let today = command.today();
    // No group needs a bot as its owner.
    let owned =
        if user::is_bot(&mut command.tx, id)? { Vec::new() } else { group::solely_owned(&mut command.tx, id, today)? };
    if !owned.is_empty() && !hard {
        return Err(UserRefusal::SoleOwner.into());
    }
    let now = command.now;
    for group in owned {
        group::mark_deleting(&mut command.tx, group, now)?;
        let event = command.event(EventKind::GroupDeletionRequested).namespace(group);
        command.append(&event)?;
    }
    account_removal::begin(command, id, hard)
}

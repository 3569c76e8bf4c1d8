//! The removal of accounts: hidden at once, removed by a job.

use tenon_domain::event::EventKind;
use tenon_domain::id::UserId;
use tenon_storage::{group, namespace, session, user};

use super::ended_access;
use crate::core::app::Command;
use crate::core::error::AppError;

/// The detail of the event that asks for the removal of what the user leaves behind as well.
pub(crate) const HARD: &str = "hard_delete";

/// Hides an account and asks for its removal, with what it has written if `hard` says so. The caller has checked that it may
/// go, and that no group needs it.
pub(crate) fn begin(command: &mut Command<'_>, id: UserId, hard: bool) -> Result<(), AppError> {
    let now = command.now;
    ended_access::end_memberships_of(command, id)?;
    user::mark_deleting(&mut command.tx, id, now)?;
    session::delete_of_user(&mut command.tx, id)?;
    if let Some(home) = namespace::of_user(&mut command.tx, id)? {
        group::mark_deleting(&mut command.tx, home.id, now)?;
    }
    let mut event = command.event(EventKind::UserDeletionRequested).user(id);
    if hard {
        event = event.detail(HARD);
    }
    command.append(&event)
}

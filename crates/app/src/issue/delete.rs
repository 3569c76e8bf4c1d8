//! Deleting issues.

use tenon_domain::event::EventKind;
use tenon_domain::id::Iid;
use tenon_domain::issuable::IssuableAction;
use tenon_domain::time::Timestamp;
use tenon_storage::issuable;

use crate::core::app::Command;
use crate::core::error::{AppError, Missing};
use crate::policy::precondition::check_unmodified;
use crate::policy::reference::Reference;
use crate::shared::issuable::aggregate::emit_event;

/// Deletes an issue; owners only. It is nowhere to be found afterwards, and its number is not used again.
pub fn delete(
    command: &mut Command<'_>,
    project: &Reference,
    iid: Iid,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let found = command.query().issue_or(project, iid, IssuableAction::Administer, Missing::Issue)?;
    check_unmodified(found.issuable.updated_at, unmodified_since)?;
    let now = command.now;
    issuable::delete(&mut command.tx, &found.issuable, now)?;
    emit_event(command, &found.issuable, EventKind::IssueDeleted)
}

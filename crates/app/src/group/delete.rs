//! Removing groups: hidden at once with everything below, removed by a job.

use tenon_domain::event::EventKind;
use tenon_domain::group::GroupAction;
use tenon_domain::time::Timestamp;
use tenon_storage::group;

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::precondition::check_unmodified;
use crate::policy::reference::Reference;

/// Hides a group with its subgroups and projects and asks for their removal (202).
pub fn delete(
    command: &mut Command<'_>,
    reference: &Reference,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let found = command.query().group(reference, GroupAction::Administer)?.group;
    check_unmodified(found.updated_at, unmodified_since)?;
    let now = command.now;
    group::mark_deleting(&mut command.tx, found.id(), now)?;
    let event = command.event(EventKind::GroupDeletionRequested).namespace(found.id());
    command.append(&event)
}

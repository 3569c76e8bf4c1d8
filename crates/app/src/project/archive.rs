//! Archiving: a project becomes read-only for all.

use tenon_domain::event::EventKind;
use tenon_domain::hook::SystemEvent;
use tenon_domain::project::ProjectAction;
use tenon_storage::project::{self, ProjectWithNamespace};

use super::show::one;
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::reference::Reference;
use crate::shared::access::system_event;
use crate::shared::views::project_view::{Detail, ProjectView};

/// Makes a project read-only. Doing so again changes nothing and is no error.
pub fn archive(command: &mut Command<'_>, reference: &Reference) -> Result<ProjectView, AppError> {
    set_archived(command, reference, true, EventKind::ProjectArchived)
}

/// Makes a project writable again.
pub fn unarchive(command: &mut Command<'_>, reference: &Reference) -> Result<ProjectView, AppError> {
    set_archived(command, reference, false, EventKind::ProjectUnarchived)
}

fn set_archived(
    command: &mut Command<'_>,
    reference: &Reference,
    archived: bool,
    kind: EventKind,
) -> Result<ProjectView, AppError> {
    let mut found = command.query().project(reference, ProjectAction::Administer)?;
    if found.project.archived != archived {
        found.project.archived = archived;
        found.project.updated_at = command.now;
        project::update(&mut command.tx, &found.project)?;
        system_event::of_project(command, SystemEvent::ProjectUpdate, &found.project, &found.namespace, None)?;
        let event = command.event(kind).project(found.project.id).namespace(found.project.namespace);
        command.append(&event)?;
    }
    let placed = ProjectWithNamespace { project: found.project, home: found.namespace };
    one(&mut command.query(), placed, Detail::default())
}

//! Removing projects: hidden at once, removed by a job.

use tenon_domain::event::EventKind;
use tenon_domain::id::ProjectId;
use tenon_domain::project::ProjectAction;
use tenon_domain::time::Timestamp;
use tenon_storage::{merge_request, project};

use crate::access::{Reference, check_unmodified};
use crate::app::App;
use crate::context::Command;
use crate::error::AppError;

/// Hides a project from everybody and asks for its removal (202).
pub fn delete(
    command: &mut Command<'_>,
    reference: &Reference,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let found = command.query().project(reference, ProjectAction::Delete)?;
    check_unmodified(found.project.updated_at, unmodified_since)?;
    let now = command.now;
    project::mark_deleting(&mut command.tx, found.project.id, now)?;
    let event =
        command.event(EventKind::ProjectDeletionRequested).project(found.project.id).namespace(found.namespace.id);
    command.append(&event)
}

/// Removes a project with all that hangs on it: first its files and its repository, then its rows, so that a crash in between leaves
/// something that names what is still to do. Doing it again does no harm.
pub async fn remove(app: &App, id: ProjectId) -> Result<(), AppError> {
    app.objects().delete_below(&crate::upload::folder(id)).await?;
    app.delete_repository(id).await?;
    app.command(|command| {
        if let Some(avatar) = project::avatar(&mut command.tx, id)? {
            crate::avatar::discard(command, &avatar)?;
        }
        merge_request::break_those_from(&mut command.tx, id)?;
        Ok(project::delete(&mut command.tx, id)?)
    })
}

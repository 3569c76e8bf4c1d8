//! Removing projects: hidden at once, removed by a job.

use serde::{Deserialize, Serialize};
use tenon_domain::container::Container;
use tenon_domain::event::EventKind;
use tenon_domain::hook::SystemEvent;
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::project::ProjectAction;
use tenon_domain::time::Timestamp;
use tenon_storage::job::Queue;
use tenon_storage::member::Ending;
use tenon_storage::{bot, lfs, merge_request, project};

use crate::core::app::{App, Command};
use crate::core::error::AppError;
use crate::jobs::{AsyncJob, Job};
use crate::policy::precondition::check_unmodified;
use crate::policy::reference::Reference;
use crate::shared::access::{account_removal, ended_access, system_event};
use crate::shared::issuable::merge_requests::{close_elsewhere, close_elsewhere_for};

/// Hides a project from all callers and asks for its removal (202). Its merge requests into other projects are closed.
pub fn delete(
    command: &mut Command<'_>,
    reference: &Reference,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let found = command.query().project(reference, ProjectAction::Delete)?;
    check_unmodified(found.project.updated_at, unmodified_since)?;
    close_elsewhere(command, found.project.id)?;
    let now = command.now;
    project::mark_deleting(&mut command.tx, found.project.id, now)?;
    let event =
        command.event(EventKind::ProjectDeletionRequested).project(found.project.id).namespace(found.namespace.id);
    command.append(&event)
}

/// Removes a project that has been hidden.
#[derive(Serialize, Deserialize)]
pub(crate) struct DeleteProject {
    pub(crate) project: i64,
}

impl Job for DeleteProject {
    const KIND: &'static str = "delete_project";
    const QUEUE: Queue = Queue::Short;
}

impl AsyncJob for DeleteProject {
    async fn run(self, app: &App) -> Result<(), AppError> {
        // Its merge requests were closed when its removal was asked for.
        remove(app, ProjectId::new(self.project), None).await
    }
}

/// Removes a project with everything that belongs to it: first its files and its repository, then its rows, so that a
/// crash in between leaves something that names what is still to do. Its merge requests into other projects are closed
/// by `user`, who has asked for the removal of what it was in. Idempotent. [`AppError::Busy`] while a backup runs.
pub(crate) async fn remove(app: &App, id: ProjectId, user: Option<UserId>) -> Result<(), AppError> {
    app.check_removal()?;
    if let Some(user) = user {
        close_elsewhere_for(app, user, id)?;
    }
    app.objects().delete_below(&crate::shared::files::stored::upload_folder(id)).await?;
    app.delete_repository(id).await?;
    ended_access::end_deploy_keys(app, id)?;
    ended_access::end_memberships(app, Ending::Of(Container::Project(id)))?;
    app.command(|command| {
        if let Some(avatar) = project::avatar(&mut command.tx, id)? {
            crate::shared::files::avatar::discard(command, &avatar)?;
        }
        if let Some(found) = project::find_leaving(&mut command.tx, id)? {
            system_event::of_project(command, SystemEvent::ProjectDestroy, &found.project, &found.home, None)?;
        }
        for bot in bot::of(&mut command.tx, Container::Project(id))? {
            account_removal::begin(command, bot, false)?;
        }
        merge_request::break_those_from(&mut command.tx, id)?;
        let now = command.now;
        lfs::unlink_all(&mut command.tx, id, now)?;
        Ok(project::delete(&mut command.tx, id)?)
    })
}

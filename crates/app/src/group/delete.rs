//! Removing groups: hidden at once with everything below, removed by a job.

use serde::{Deserialize, Serialize};
use tenon_domain::event::EventKind;
use tenon_domain::group::GroupAction;
use tenon_domain::id::NamespaceId;
use tenon_domain::time::Timestamp;
use tenon_storage::job::Queue;
use tenon_storage::{group, namespace, project};

use crate::access::{Reference, check_unmodified};
use crate::app::App;
use crate::context::Command;
use crate::error::AppError;
use crate::jobs::{AsyncJob, Job};

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

/// Removes a group that has been hidden, with everything below it.
#[derive(Serialize, Deserialize)]
pub(crate) struct DeleteGroup {
    pub(crate) group: i64,
}

impl Job for DeleteGroup {
    const KIND: &'static str = "delete_group";
    const QUEUE: Queue = Queue::Short;
}

impl AsyncJob for DeleteGroup {
    async fn run(self, app: &App) -> Result<(), AppError> {
        remove(app, NamespaceId::new(self.group)).await
    }
}

/// Removes a group: its projects one by one, then the groups from the deepest up. Each step is a transaction of its own
/// and does no harm when repeated, so that a crash costs only the step it hit.
pub async fn remove(app: &App, id: NamespaceId) -> Result<(), AppError> {
    let (groups, projects) = app.command(|command| {
        let groups = namespace::subtree(&mut command.tx, id)?;
        let projects = project::ids_in(&mut command.tx, &groups)?;
        Ok((groups, projects))
    })?;
    for project in projects {
        crate::project::remove(app, project).await?;
    }
    for group in groups {
        app.command(|command| {
            if let Some(avatar) = group::avatar(&mut command.tx, group)? {
                crate::avatar::discard(command, &avatar)?;
            }
            Ok(namespace::remove(&mut command.tx, group)?)
        })?;
    }
    Ok(())
}

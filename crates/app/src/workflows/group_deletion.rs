//! The job that removes a group with its projects.

use serde::{Deserialize, Serialize};
use tenon_domain::container::Container;
use tenon_domain::hook::SystemEvent;
use tenon_domain::id::{NamespaceId, UserId};
use tenon_storage::job::Queue;
use tenon_storage::member::Ending;
use tenon_storage::{bot, group, namespace, project};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::jobs::{AsyncJob, Job};
use crate::shared::access::{account_removal, ended_access, system_event};

/// Removes a group that has been hidden, with everything below it.
#[derive(Serialize, Deserialize)]
pub(crate) struct DeleteGroup {
    pub(crate) group: i64,
    /// Who has asked for it; jobs of earlier versions do not say.
    pub(crate) requested_by: Option<i64>,
}

impl Job for DeleteGroup {
    const KIND: &'static str = "delete_group";
    const QUEUE: Queue = Queue::Short;
}

impl AsyncJob for DeleteGroup {
    async fn run(self, app: &App) -> Result<(), AppError> {
        remove(app, NamespaceId::new(self.group), self.requested_by.map(UserId::new)).await
    }
}

/// Removes a group: its projects one by one, then the groups from the deepest up. Each step is a transaction of its own
/// and idempotent, so that a crash costs only the step it hit.
async fn remove(app: &App, id: NamespaceId, requested_by: Option<UserId>) -> Result<(), AppError> {
    let (groups, projects) = app.database().read(|tx| -> Result<_, AppError> {
        let groups = namespace::subtree(tx, id)?;
        let projects = project::ids_in(tx, &groups)?;
        Ok((groups, projects))
    })?;
    for project in projects {
        crate::project::remove(app, project, requested_by).await?;
    }
    for group in groups {
        ended_access::end_memberships(app, Ending::Of(Container::Group(group)))?;
        app.command(|command| {
            if let Some(avatar) = group::avatar(&mut command.tx, group)? {
                crate::shared::files::avatar::discard(command, &avatar)?;
            }
            if let Some(found) = namespace::by_ids(&mut command.tx, &[group])?.remove(&group) {
                system_event::of_group(command, SystemEvent::GroupDestroy, &found, None)?;
            }
            for bot in bot::of(&mut command.tx, Container::Group(group))? {
                account_removal::begin(command, bot, false)?;
            }
            Ok(namespace::remove(&mut command.tx, group)?)
        })?;
    }
    Ok(())
}

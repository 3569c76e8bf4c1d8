//! The job that removes an account with what belongs to it.

use serde::{Deserialize, Serialize};
use tenon_auth::Secret;
use tenon_domain::hook::SystemEvent;
use tenon_domain::id::UserId;
use tenon_domain::user::User;
use tenon_storage::job::Queue;
use tenon_storage::{author_deletion, merge_request, namespace, project, user};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::jobs::{AsyncJob, Job};
use crate::merge_request::enqueue_ref_deletion;
use crate::shared::access::{ended_access, system_event};
use crate::user::ghost;

/// Removes an account that has been hidden.
#[derive(Serialize, Deserialize)]
pub(crate) struct DeleteUser {
    pub(crate) user: i64,
    /// True if what it wrote goes as well.
    pub(crate) hard: bool,
    /// Who has asked for it; jobs of earlier versions do not say.
    pub(crate) requested_by: Option<i64>,
}

impl Job for DeleteUser {
    const KIND: &'static str = "delete_user";
    const QUEUE: Queue = Queue::Short;
}

impl AsyncJob for DeleteUser {
    async fn run(self, app: &App) -> Result<(), AppError> {
        remove(app, UserId::new(self.user), self.hard, self.requested_by.map(UserId::new)).await
    }
}

/// Removes an account with its personal projects. Its texts elsewhere go to the ghost user, or away with it if `hard`.
/// Idempotent.
async fn remove(app: &App, id: UserId, hard: bool, requested_by: Option<UserId>) -> Result<(), AppError> {
    let home = app.database().read(|tx| namespace::of_user(tx, id))?;
    if let Some(home) = &home {
        let projects = app.database().read(|tx| project::ids_in(tx, &[home.id]))?;
        for project in projects {
            crate::project::remove(app, project, requested_by).await?;
        }
    }
    ended_access::end_keys(app, id)?;
    // A name that cannot be guessed, for the case that an account called ghost exists already.
    let spare = Secret::generate_hex(app.entropy());
    app.command(|command| {
        if hard {
            let now = command.now;
            for (project, iid) in merge_request::written_by(&mut command.tx, id)? {
                enqueue_ref_deletion(command, project, iid)?;
            }
            author_deletion::erase_author(&mut command.tx, id, now)?;
        } else {
            let ghost = ghost::find_or_create(command, spare.expose())?;
            author_deletion::hand_over(&mut command.tx, id, ghost)?;
        }
        if let Some(avatar) = user::avatar(&mut command.tx, id)? {
            crate::shared::files::avatar::discard(command, &avatar)?;
        }
        if let Some(found) = user::by_ids(&mut command.tx, &[id])?.remove(&id).filter(User::is_person) {
            system_event::of_user(command, SystemEvent::UserDestroy, &found, None)?;
        }
        if let Some(home) = &home {
            namespace::remove(&mut command.tx, home.id)?;
        }
        Ok(user::delete(&mut command.tx, id)?)
    })
}

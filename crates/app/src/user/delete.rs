//! Removing accounts (reference: users-groups-auth-settings, section 8.6).

use serde::{Deserialize, Serialize};
use tenon_auth::Secret;
use tenon_domain::event::EventKind;
use tenon_domain::id::UserId;
use tenon_domain::time::Timestamp;
use tenon_domain::user::UserAction;
use tenon_storage::job::Queue;
use tenon_storage::{group, issuable, merge_request, namespace, project, session, user};

use super::edit::keep_an_administrator;
use crate::access::check_unmodified;
use crate::app::App;
use crate::context::Command;
use crate::error::AppError;
use crate::jobs::{AsyncJob, Job};
use crate::merge_request::forget_refs;

/// The detail of the event that asks for the removal of what the user leaves behind as well.
pub(crate) const HARD: &str = "hard_delete";

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
        return Err(AppError::ForbiddenBecause("This user cannot be removed".to_owned()));
    }
    keep_an_administrator(command, &found, false)?;
    let today = command.today();
    let owned = group::solely_owned(&mut command.tx, id, today)?;
    if !owned.is_empty() && !hard {
        return Err(AppError::Conflict("User cannot be removed while is the sole-owner of a group".to_owned()));
    }
    let now = command.now;
    user::mark_deleting(&mut command.tx, id, now)?;
    session::delete_of_user(&mut command.tx, id)?;
    for group in owned {
        group::mark_deleting(&mut command.tx, group, now)?;
        let event = command.event(EventKind::GroupDeletionRequested).namespace(group);
        command.append(&event)?;
    }
    if let Some(home) = namespace::of_user(&mut command.tx, id)? {
        group::mark_deleting(&mut command.tx, home.id, now)?;
    }
    let mut event = command.event(EventKind::UserDeletionRequested).user(id);
    if hard {
        event = event.detail(HARD);
    }
    command.append(&event)
}

/// Removes an account that has been hidden.
#[derive(Serialize, Deserialize)]
pub(crate) struct DeleteUser {
    pub(crate) user: i64,
    /// Whether what it wrote goes as well.
    pub(crate) hard: bool,
}

impl Job for DeleteUser {
    const KIND: &'static str = "delete_user";
    const QUEUE: Queue = Queue::Short;
}

impl AsyncJob for DeleteUser {
    async fn run(self, app: &App) -> Result<(), AppError> {
        remove(app, UserId::new(self.user), self.hard).await
    }
}

/// Removes an account with its personal projects. What it wrote elsewhere goes to the ghost user, or away with it where
/// `hard`. Doing it again does no harm.
pub async fn remove(app: &App, id: UserId, hard: bool) -> Result<(), AppError> {
    let home = app.command(|command| Ok(namespace::of_user(&mut command.tx, id)?))?;
    if let Some(home) = &home {
        let projects = app.command(|command| Ok(project::ids_in(&mut command.tx, &[home.id])?))?;
        for project in projects {
            crate::project::remove(app, project).await?;
        }
    }
    // A name that nobody can guess beforehand, should an account called ghost exist already.
    let spare = Secret::generate_hex(app.entropy());
    app.command(|command| {
        if hard {
            let now = command.now;
            for (project, iid) in merge_request::written_by(&mut command.tx, id)? {
                forget_refs(command, project, iid)?;
            }
            issuable::erase_author(&mut command.tx, id, now)?;
        } else {
            let ghost = super::ghost::find_or_create(command, spare.expose())?;
            user::hand_over(&mut command.tx, id, ghost)?;
        }
        if let Some(avatar) = user::avatar(&mut command.tx, id)? {
            crate::avatar::discard(command, &avatar)?;
        }
        if let Some(home) = &home {
            namespace::remove(&mut command.tx, home.id)?;
        }
        Ok(user::delete(&mut command.tx, id)?)
    })
}

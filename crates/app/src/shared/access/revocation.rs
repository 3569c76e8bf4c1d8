//! Revocation: entries of to-do lists and subscriptions end with the access of their user.
//!
//! Lists check visibility whenever they are read, so nothing hidden is shown even if no job has run. Rows that are
//! removed here do not come back with a later membership.

use serde::{Deserialize, Serialize};
use tenon_domain::access::Viewer;
use tenon_domain::id::{IssuableId, NamespaceId, ProjectId, UserId};
use tenon_domain::user::User;
use tenon_storage::issuable::{self, Followed};
use tenon_storage::job::Queue;
use tenon_storage::{namespace, project, user};

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::jobs::{Job, RowJob, enqueue};

/// How many users one job looks for.
const BATCH: i64 = 200;

/// The project, group or issue that fewer people than before may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RevocationScope {
    /// Into a project.
    Project(i64),
    /// Into a group and everything below it.
    Group(i64),
    /// At an issue.
    Issue(i64),
}

/// Removes what is kept for a user about what they can no longer see.
#[derive(Serialize, Deserialize)]
pub(crate) struct PurgeInaccessible {
    user: i64,
}

impl Job for PurgeInaccessible {
    const KIND: &'static str = "forget_unseen";
    const QUEUE: Queue = Queue::Short;
}

impl RowJob for PurgeInaccessible {
    fn run(self, command: &mut Command<'_>) -> Result<(), AppError> {
        purge_inaccessible(command, UserId::new(self.user))
    }
}

/// Asks for [`PurgeInaccessible`] for those who follow something at a place at which fewer people than before may look,
/// a few at a time.
#[derive(Serialize, Deserialize)]
pub(crate) struct RevokeAccess {
    place: RevocationScope,
    /// The id of the last user that was checked.
    after: i64,
}

impl Job for RevokeAccess {
    const KIND: &'static str = "narrow_access";
    const QUEUE: Queue = Queue::Short;
}

impl RowJob for RevokeAccess {
    fn run(self, command: &mut Command<'_>) -> Result<(), AppError> {
        revoke(command, self.place, UserId::new(self.after))
    }
}

/// Removes what is kept for a user about what they can no longer see: for changes that concern one person.
pub(crate) fn purge_inaccessible(command: &mut Command<'_>, id: UserId) -> Result<(), AppError> {
    let Some(User { id, admin, external, .. }) = user::find(&mut command.tx, id)? else { return Ok(()) };
    let today = command.today();
    Ok(issuable::purge_inaccessible(&mut command.tx, Viewer::User { id, admin, external }, today)?)
}

/// Enqueues the same for all users who follow something there: for changes that concern any number of people.
pub(crate) fn enqueue_revocation(command: &mut Command<'_>, place: RevocationScope) -> Result<(), AppError> {
    enqueue(command, &RevokeAccess { place, after: 0 })
}

/// As [`enqueue_revocation`], for a project and for the forks that were lowered with it.
pub(crate) fn enqueue_revocation_with_forks(
    command: &mut Command<'_>,
    project: ProjectId,
    forks: &[ProjectId],
) -> Result<(), AppError> {
    for id in std::iter::once(&project).chain(forks) {
        enqueue_revocation(command, RevocationScope::Project(id.get()))?;
    }
    Ok(())
}

/// Enqueues [`PurgeInaccessible`] for a few users after this one, and a job for the next ones. Idempotent.
fn revoke(command: &mut Command<'_>, place: RevocationScope, after: UserId) -> Result<(), AppError> {
    let mut followed = Followed::default();
    match place {
        RevocationScope::Project(id) => followed.projects.push(ProjectId::new(id)),
        RevocationScope::Group(id) => {
            followed.groups = namespace::subtree(&mut command.tx, NamespaceId::new(id))?;
            followed.projects = project::ids_in(&mut command.tx, &followed.groups)?;
        }
        RevocationScope::Issue(id) => followed.issuable = Some(IssuableId::new(id)),
    }
    let users = issuable::followers(&mut command.tx, &followed, after, BATCH)?;
    for user in &users {
        enqueue(command, &PurgeInaccessible { user: user.get() })?;
    }
    match users.last() {
        Some(last) => enqueue(command, &RevokeAccess { place, after: last.get() }),
        None => Ok(()),
    }
}

//! Deleting merge requests.

use serde::{Deserialize, Serialize};
use tenon_domain::event::EventKind;
use tenon_domain::id::{Iid, ProjectId};
use tenon_domain::issuable::IssuableAction;
use tenon_domain::time::Timestamp;
use tenon_storage::issuable;
use tenon_storage::job::Queue;

use crate::core::app::{App, Command};
use crate::core::error::AppError;
use crate::jobs::{AsyncJob, Job, enqueue};
use crate::policy::issuable::IssuableReference;
use crate::policy::precondition::check_unmodified;
use crate::shared::issuable::aggregate::emit_event;

/// Deletes a merge request; owners only. Its branches stay, and its number is not used again.
pub fn delete(
    command: &mut Command<'_>,
    of: &IssuableReference,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let found = command.query().issuable(of, IssuableAction::Administer)?;
    check_unmodified(found.issuable.updated_at, unmodified_since)?;
    let now = command.now;
    issuable::delete(&mut command.tx, &found.issuable, now)?;
    enqueue_ref_deletion(command, found.issuable.project, found.issuable.iid)?;
    emit_event(command, &found.issuable, EventKind::MergeRequestDeleted)
}

/// Asks for the refs of a deleted merge request to be removed.
pub(crate) fn enqueue_ref_deletion(command: &mut Command<'_>, project: ProjectId, iid: Iid) -> Result<(), AppError> {
    enqueue(command, &DeleteMergeRequestRefs { project: project.get(), iid: iid.get() })
}

/// Removes the refs of a merge request that was deleted.
#[derive(Serialize, Deserialize)]
pub(crate) struct DeleteMergeRequestRefs {
    project: i64,
    /// Its number there.
    iid: i64,
}

impl Job for DeleteMergeRequestRefs {
    const KIND: &'static str = "forget_merge_request";
    const QUEUE: Queue = Queue::Git;
}

impl AsyncJob for DeleteMergeRequestRefs {
    async fn run(self, app: &App) -> Result<(), AppError> {
        remove_refs(app, ProjectId::new(self.project), Iid::new(self.iid)).await
    }
}

/// Removes the refs of a deleted merge request. Its commits that are kept alive stay: others may have been compared
/// with the same commits. Idempotent.
async fn remove_refs(app: &App, project: ProjectId, iid: Iid) -> Result<(), AppError> {
    app.check_removal()?;
    let repository = app.repositories().store.repository(project);
    app.on_git(move || {
        if !repository.exists() {
            return Ok(());
        }
        repository.forget_merge_request(iid.get()).map_err(AppError::internal)
    })
    .await
}

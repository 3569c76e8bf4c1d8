//! Deleting merge requests (reference: issues-merge-requests-projects, section 6.8).

use tenon_domain::event::EventKind;
use tenon_domain::id::{Iid, ProjectId};
use tenon_domain::issuable::IssuableAction;
use tenon_domain::time::Timestamp;
use tenon_storage::issuable;

use crate::access::check_unmodified;
use crate::app::App;
use crate::context::Command;
use crate::error::AppError;
use crate::issuable::{IssuableReference, tell_event};
use crate::jobs::{Work, enqueue};

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
    forget_refs(command, found.issuable.project, found.issuable.iid)?;
    tell_event(command, &found.issuable, EventKind::MergeRequestDeleted)
}

/// Asks for the refs of a deleted merge request to be removed.
pub(crate) fn forget_refs(command: &mut Command<'_>, project: ProjectId, iid: Iid) -> Result<(), AppError> {
    enqueue(command, &Work::ForgetMergeRequest { project: project.get(), iid: iid.get() })
}

/// Removes the refs of a deleted merge request. What is kept alive of it stays: others may have been compared with the same
/// commits. Doing it again does no harm.
pub(crate) async fn remove_refs(app: &App, project: ProjectId, iid: Iid) -> Result<(), AppError> {
    let repository = app.repositories().store.repository(project);
    app.on_git(move || {
        if !repository.exists() {
            return Ok(());
        }
        repository.forget_merge_request(iid.get()).map_err(AppError::internal)
    })
    .await
}

//! Changes of merge requests outside their own use cases.

use tenon_domain::id::{IssuableId, ProjectId, UserId};
use tenon_domain::issuable::StateEvent;
use tenon_domain::merge_request::MergeRequest;
use tenon_domain::refusal::MergeRequestRefusal;
use tenon_storage::{issuable, merge_request};

use crate::core::app::{App, By, Command, Query};
use crate::core::error::AppError;
use crate::policy::issuable::AuthorizedIssuable;
use crate::policy::reference::Reference;
use crate::shared::issuable::aggregate::{change_state, save_changes};
use crate::shared::issuable_aggregate::IssuableAggregate;

/// How many merge requests a job closes in one transaction.
const CLOSED_AT_ONCE: usize = 50;

/// Closes the open merge requests out of a project into others: it has nothing to do with them any more.
pub(crate) fn close_elsewhere(command: &mut Command<'_>, source: ProjectId) -> Result<(), AppError> {
    let open = merge_request::open_elsewhere(&mut command.tx, source)?;
    close(command, &open)
}

/// As [`close_elsewhere`], for a job that removes the project because `user` has asked for it: in several transactions, and whatever
/// has become of that user.
pub(crate) fn close_elsewhere_for(app: &App, user: UserId, source: ProjectId) -> Result<(), AppError> {
    let open = app.database().read(|tx| merge_request::open_elsewhere(tx, source))?;
    for some in open.chunks(CLOSED_AT_ONCE) {
        app.as_actor(By::InNameOf(user), |command| close(command, some))?;
    }
    Ok(())
}

/// Closes those of these merge requests that are open and whose project is there.
fn close(command: &mut Command<'_>, requests: &[IssuableId]) -> Result<(), AppError> {
    let (user, now) = (command.user()?.id, command.now);
    for id in requests {
        let Some((found, before)) = load(command, *id)? else { continue };
        let mut after = before.clone();
        change_state(&mut after, StateEvent::Close, user, now);
        save_changes(command, &found, &before, after, None)?;
    }
    Ok(())
}

/// A merge request with its project, whether the caller may see it or not: what is done follows from what has happened, and
/// not from who may ask for it.
pub(crate) fn load(
    command: &mut Command<'_>,
    id: IssuableId,
) -> Result<Option<(AuthorizedIssuable, IssuableAggregate)>, AppError> {
    let Some(of) = issuable::by_ids(&mut command.tx, &[id])?.pop() else { return Ok(None) };
    let Some(home) = command.query().project_with_standing(&Reference::Id(of.project.get()))? else { return Ok(None) };
    let aggregate = IssuableAggregate::load(command, &of)?;
    Ok(Some((AuthorizedIssuable { home, issuable: of, own: true }, aggregate)))
}

/// 409 if an open merge request lies between the same branches.
pub(crate) fn refuse_duplicate(
    query: &mut Query<'_>,
    target: ProjectId,
    request: &MergeRequest,
    but: Option<IssuableId>,
) -> Result<(), AppError> {
    match merge_request::duplicate(&mut query.tx, target, request, but)? {
        None => Ok(()),
        Some(other) => Err(MergeRequestRefusal::Duplicated(other.short_reference()).into()),
    }
}

/// Checks that a closed merge request may be opened again: it still has a source, and no other lies between the same
/// branches.
pub(crate) fn may_reopen(query: &mut Query<'_>, target: ProjectId, request: &MergeRequest) -> Result<bool, AppError> {
    let has_rival = merge_request::duplicate(&mut query.tx, target, request, Some(request.id))?.is_some();
    Ok(request.source_project.is_some() && !has_rival)
}

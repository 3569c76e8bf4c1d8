//! The source branch of a merge request: whether the caller may change it, and its deletion after the merge.

use tenon_domain::id::ProjectId;
use tenon_domain::issuable::{IssuableAction, State};
use tenon_domain::project::ProjectAction;
use tenon_domain::repository::{RefChange, RefKind};
use tenon_storage::repository::stored_ref;

use super::found::AuthorizedMergeRequest;
use super::mergeability::oid;
use crate::core::app::{App, Query};
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::issuable::IssuableReference;
use crate::policy::reference::Reference;

/// The source branch of a merge request that is merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceBranch {
    /// Its project.
    pub project: ProjectId,
    /// True if it is there, at the commit that was merged or another one.
    pub is_there: bool,
    /// The commit that was merged, with which it is restored.
    pub head: String,
    /// True if the caller may delete it, as it has nothing that was not merged, or restore it.
    pub may_change: bool,
}

/// Deletes the source branch of a merge request that is merged; nothing happens if it is gone. Fails with 404 if the merge request is
/// not merged or the caller does not see the branch, with 403 if the caller may not delete it, and with 409 if it has moved since
/// then.
pub async fn delete_source_branch(app: &App, identity: &Identity, of: IssuableReference) -> Result<(), AppError> {
    let found = app.read(identity, move |query| {
        let user = query.user()?.id;
        let found = query.merge_request(&of, IssuableAction::Read)?;
        let missing = || AppError::NotFound(Missing::Branch);
        let project = found.request.source_project.ok_or_else(missing)?;
        let project = query.project(&Reference::Id(project.get()), ProjectAction::Read)?.project.id;
        let source = source_branch(query, &found, project)?.ok_or_else(missing)?;
        Ok((user, source, found.request.source_branch))
    });
    let (user, source, branch) = found.await?;
    if !source.is_there {
        return Ok(());
    }
    if !source.may_change {
        return Err(AppError::Forbidden);
    }
    let head = oid(&source.head)?;
    let this = app.clone();
    let is_removed = app.on_git(move || this.remove_merged_branch(source.project, &branch, head, user)).await?;
    if is_removed { Ok(()) } else { Err(AppError::Forbidden) }
}

/// True if the caller may push to the source branch.
pub(super) fn may_push(query: &mut Query<'_>, found: &AuthorizedMergeRequest) -> Result<bool, AppError> {
    let (Some(source), Some(_)) = (found.request.source_project, query.viewer().user()) else { return Ok(false) };
    may_change_branch(query, source, &found.request.source_branch, RefChange::FastForward)
}

/// The source branch, if the merge request is merged.
pub(super) fn source_branch(
    query: &mut Query<'_>,
    found: &AuthorizedMergeRequest,
    project: ProjectId,
) -> Result<Option<SourceBranch>, AppError> {
    let branch = &found.request.source_branch;
    let Some(head) = found.request.head().filter(|_| found.issuable.state == State::Merged) else { return Ok(None) };
    let tip = stored_ref(&mut query.tx, project, &format!("refs/heads/{branch}"))?;
    let change = if tip.is_some() { RefChange::Delete } else { RefChange::Create };
    let is_merged = tip.as_deref().is_none_or(|tip| tip == head);
    let may_change = is_merged && query.viewer().user().is_some() && may_change_branch(query, project, branch, change)?;
    Ok(Some(SourceBranch { project, is_there: tip.is_some(), head: head.to_owned(), may_change }))
}

fn may_change_branch(
    query: &mut Query<'_>,
    project: ProjectId,
    branch: &str,
    change: RefChange,
) -> Result<bool, AppError> {
    match query.writable(&Reference::Id(project.get()), ProjectAction::ReadCode) {
        Ok(writable) => Ok(writable.check(RefKind::Branch, branch, change).is_ok()),
        Err(AppError::NotFound(_) | AppError::Forbidden | AppError::Unauthenticated) => Ok(false),
        Err(error) => Err(error),
    }
}

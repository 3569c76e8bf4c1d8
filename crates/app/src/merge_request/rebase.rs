//! Rebasing the source branch, and what a merge would make.

use tenon_domain::id::UserId;
use tenon_domain::issuable::{IssuableAction, State};
use tenon_domain::merge_request::{AcceptRefusal, REBASE_CONFLICT};
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::{MergeRequestRefusal, RepositoryRefusal};
use tenon_domain::repository::{RefChange, RefKind};
use tenon_git::merge::MergeCheck;
use tenon_git::write::{RefChange as GitChange, Refusal, WriteError};
use tenon_git::{BranchName, Signature};
use tenon_storage::merge_request;

use super::found::AuthorizedMergeRequest;
use crate::core::app::{App, Query};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::core::ref_update::RefUpdate;
use crate::policy::issuable::IssuableReference;
use crate::policy::reference::Reference;

/// The most commits that are made again.
const MAX_COMMITS: i64 = 1000;

/// Makes the commits of the source branch again on top of the target branch. Callers who may push to the source may do
/// this. If they are in conflict, `merge_error` says so and nothing moves.
pub async fn rebase(app: &App, identity: &Identity, of: IssuableReference) -> Result<(), AppError> {
    let reference = of.clone();
    let found = app.read(identity, move |query| query.merge_request(&reference, IssuableAction::Read)).await?;
    if found.issuable.state != State::Opened {
        return Err(AcceptRefusal::NotOpen.into());
    }
    // The target's commits come into the source: the caller must be able to read them.
    if !found.home.may(ProjectAction::ReadCode) || found.home.project.archived {
        return Err(AppError::Forbidden);
    }
    let source = Reference::Id(found.request.source_project.ok_or(AppError::Forbidden)?.get());
    let branch = BranchName::parse(&found.request.source_branch).map_err(AppError::internal)?;
    let writable = app.writable_in_part(identity, source).await?;
    writable.check(RefKind::Branch, branch.as_str(), RefChange::Force).map_err(|_text| AppError::Forbidden)?;
    let (this, user) = (app.clone(), writable.user.id);
    let committer = writable.signature(app.now());
    app.on_git(move || this.rebase_now(&found, &branch, &committer, user)).await
}

impl App {
    fn rebase_now(
        &self,
        found: &AuthorizedMergeRequest,
        branch: &BranchName,
        committer: &Signature,
        user: UserId,
    ) -> Result<(), AppError> {
        let repositories = self.merge_repositories(&found.home.project, &found.request);
        let (Some(target), Some(source)) =
            (repositories.target_tip(&found.request)?, repositories.source_tip(&found.request)?)
        else {
            return Err(AcceptRefusal::CannotBeMerged.into());
        };
        let Some(repository) = &repositories.source else { return Err(AppError::Forbidden) };
        let project = found.request.source_project.ok_or(AppError::Forbidden)?;
        if repositories.target.path() != repository.path() && repository.commit(target)?.is_none() {
            let name = tenon_git::RefName::keep_around(target);
            let from = (found.home.project.id, &repositories.target);
            self.fetch_within_quota(project, from, target, &name)?;
        }
        let outcome = if repository.is_ancestor(target, source)? {
            Ok(source)
        } else {
            self.check_room(project)?;
            repository.rebase(source, target, committer, MAX_COMMITS)
        };
        let (tip, error) = match outcome {
            Ok(tip) => (tip, None),
            Err(WriteError::Refused(_)) => (source, Some(REBASE_CONFLICT.to_owned())),
            Err(WriteError::Git(error)) => return Err(error.into()),
        };
        if tip != source {
            match repository.update_refs(&[GitChange::Update { name: branch.full(), new: tip, old: source }]) {
                Ok(()) => {}
                Err(WriteError::Refused(Refusal::Stale)) => {
                    return Err(RepositoryRefusal::BranchMoved.into());
                }
                Err(error) => return Err(AppError::internal(error)),
            }
            self.handle_ref_updates(
                project,
                Some(user),
                &[RefUpdate { name: branch.full().as_str().to_owned(), old: source, new: tip }],
            )?;
        }
        let id = found.request.id;
        self.command(|command| {
            let Some(mut request) = merge_request::find(&mut command.tx, id)? else { return Ok(()) };
            if request.merge_error != error {
                request.merge_error = error;
                merge_request::update(&mut command.tx, &request)?;
            }
            Ok(())
        })
    }
}

/// A commit that is what a merge now would make; 400 if it cannot be made. It is kept by a ref: callers without an
/// account may not ask for it.
pub async fn merge_ref(app: &App, identity: &Identity, of: IssuableReference) -> Result<String, AppError> {
    let may_read = move |query: &mut Query<'_>| {
        let found = query.merge_request(&of, IssuableAction::Read)?;
        let _ = query.user()?;
        Ok(found)
    };
    let found = app.read(identity, may_read).await?;
    let this = app.clone();
    app.on_git(move || {
        let refused = || AppError::from(MergeRequestRefusal::NotMergeable);
        if found.issuable.state != State::Opened || found.home.project.archived {
            return Err(refused());
        }
        let repositories = this.merge_repositories(&found.home.project, &found.request);
        let head = found.request.head().ok_or_else(refused)?;
        let (source, target) =
            (super::mergeability::oid(head)?, repositories.target_tip(&found.request)?.ok_or_else(refused)?);
        let MergeCheck::Clean(tree) = repositories.target.merge_check(target, source)? else { return Err(refused()) };
        this.check_room(found.home.project.id)?;
        let iid = found.issuable.iid.get();
        // With a fixed author and time: the same request makes the same commit.
        let at = repositories.target.commit(source)?.ok_or_else(refused)?.committer.at();
        let who = Signature::new("Tenon", "tenon@localhost", at);
        let message = format!("Merge {source} into {target}");
        Ok(repositories
            .target
            .keep_merge(iid, tree, [target, source], &who, &message)
            .map_err(AppError::internal)?
            .to_string())
    })
    .await
}

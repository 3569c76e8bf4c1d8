//! Commits made again, or taken back, on a branch.

use tenon_domain::id::Iid;
use tenon_domain::merge_request::DiffRefs;
use tenon_domain::project::setting::MERGE_REQUESTS;
use tenon_domain::refusal::{Replayed, RepositoryRefusal};
use tenon_domain::repository::{RefChange, RefKind};
use tenon_git::commit::{CommitQuery, CommitRange};
use tenon_git::write::{Refusal, WriteError};
use tenon_git::{BranchName, GitError, Oid, Repository};
use tenon_storage::merge_request;

use crate::core::app::App;
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::read::commit::{CommitView, found_commit};
use crate::repository::read::context::RepositoryContext;
use crate::repository::refs::ref_write::{Writable, at_the_head, refused};

/// The use of a commit on another branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replay {
    /// The same change again.
    CherryPick,
    /// The change taken back.
    Revert,
}

/// Makes the change of a commit again on a branch, or takes it back there.
pub async fn replay(
    app: &App,
    identity: &Identity,
    project: Reference,
    revision: String,
    branch: String,
    kind: Replay,
) -> Result<CommitView, AppError> {
    let writable = app.writable_in_part(identity, project).await?;
    let this = app.clone();
    app.on_git(move || {
        let commit = writable.code.commit_or(Some(&revision), Missing::Commit)?;
        let branch = BranchName::parse(&branch).map_err(|_invalid| AppError::NotFound(Missing::Branch))?;
        let id = at_the_head(|| this.replay_now(&writable, commit, &branch, kind))?;
        found_commit(&writable.code, &id.to_string(), false)
    })
    .await
}

impl App {
    fn replay_now(&self, writable: &Writable, commit: Oid, branch: &BranchName, kind: Replay) -> Result<Oid, AppError> {
        let tip = writable.tip(branch)?.ok_or(AppError::NotFound(Missing::Branch))?;
        writable
            .check(RefKind::Branch, branch.as_str(), RefChange::FastForward)
            .map_err(|_reason| RepositoryRefusal::BranchProtected)?;
        let repository = &writable.code.repository;
        let original = repository.whole_commit(commit)?.ok_or(AppError::NotFound(Missing::Commit))?;
        self.check_room(writable.code.project.id)?;
        let me = writable.signature(self.now());
        let merged = if original.parents.len() > 1 { self.merged(&writable.code, commit)? } else { None };
        let made = match kind {
            Replay::CherryPick => {
                let mut message = format!("{}\n\n(cherry picked from commit {commit})", original.message.trim_end());
                if let Some(merged) = &merged {
                    message += &merged.list(repository)?;
                }
                repository.cherry_pick(commit, tip, &me, &message)
            }
            Replay::Revert => {
                let what = match &merged {
                    Some(Merged { iid, .. }) => format!("merge request !{iid}"),
                    None => format!("commit {commit}"),
                };
                let message = format!("Revert \"{}\"\n\nThis reverts {what}", original.title());
                repository.revert(commit, tip, &me, &message)
            }
        };
        let id = made.map_err(|error| not_replayed(error, kind, merged.is_some()))?;
        let change = tenon_git::write::RefChange::to(branch.full(), Some(tip), id);
        repository.update_refs(&[change]).map_err(refused)?;
        self.moved(writable, &branch.full(), tip, id)?;
        Ok(id)
    }

    /// The merge request whose merge a commit is.
    fn merged(&self, code: &RepositoryContext, commit: Oid) -> Result<Option<Merged>, AppError> {
        if !code.project.has(&MERGE_REQUESTS) {
            return Ok(None);
        }
        let (project, name) = (code.project.id, commit.to_string());
        let found = self.parts().database.read(|tx| merge_request::merged_by(tx, project, &name))?;
        Ok(found.into_iter().next().map(|(iid, request)| Merged { iid, diff: request.diff }))
    }
}

/// A merge request that was merged.
struct Merged {
    iid: Iid,
    diff: Option<DiffRefs>,
}

/// The most commits of a merge request that the message of its merge, made again, lists.
const MAX_LISTED: i64 = 100;

impl Merged {
    /// Its commits, oldest first, a line each, with an empty line before them.
    fn list(&self, repository: &Repository) -> Result<String, AppError> {
        let Some(diff) = &self.diff else { return Ok(String::new()) };
        let oid = |text: &str| text.parse::<Oid>().map_err(AppError::internal);
        let range = CommitRange::Between { from: oid(&diff.start)?, to: oid(&diff.head)? };
        let commits = match repository.commit_list(&CommitQuery::new(range), 0, MAX_LISTED) {
            // Messages of many megabytes are no reason to refuse: then they are not listed.
            Err(GitError::TooLarge(_)) => return Ok(String::new()),
            commits => commits?,
        };
        let lines = commits.iter().rev().map(|commit| format!("\n{} {}", commit.short_id(), commit.title()));
        Ok(std::iter::once("\n".to_owned()).chain(lines).collect())
    }
}

fn not_replayed(error: WriteError, kind: Replay, is_merge: bool) -> AppError {
    let replay = match kind {
        Replay::CherryPick => Replayed::CherryPick,
        Replay::Revert => Replayed::Revert,
    };
    match error {
        WriteError::Refused(Refusal::Conflict(_) | Refusal::Empty) => {
            RepositoryRefusal::NotReplayed { replay, is_merge }.into()
        }
        other => refused(other),
    }
}

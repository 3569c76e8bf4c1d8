//! The first commit of an empty repository, if a request asks for one: a readme on the default branch.

use tenon_domain::project::Import;
use tenon_domain::refusal::RepositoryRefusal;
use tenon_domain::repository::{RefChange, RefKind};
use tenon_git::write::actions::{Action, CommitRequest};
use tenon_git::write::{RefChange as GitChange, Refusal, WriteError};
use tenon_git::{BranchName, Oid, Repository, Signature, TreePath};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::ref_update::RefUpdate;
use crate::repository::refs::ref_write::{Writable, refused};

/// The file of the first commit.
pub(crate) const README: &str = "README.md";

/// Makes the first commit of `branch`, which must not be there: a readme with this content.
pub(crate) fn commit_readme(
    repository: &Repository,
    branch: &BranchName,
    content: String,
    author: Signature,
) -> Result<Oid, WriteError> {
    repository.commit_actions(&readme(branch, content, author)?)
}

fn readme(branch: &BranchName, content: String, author: Signature) -> Result<CommitRequest, WriteError> {
    let path = TreePath::parse(README).map_err(|_invalid| WriteError::Refused(Refusal::Missing))?;
    Ok(CommitRequest {
        branch: branch.clone(),
        tip: None,
        start: None,
        committer: author.clone(),
        author,
        message: "Initial commit".to_owned(),
        actions: vec![Action::Create { path, content: content.into_bytes(), executable: false }],
    })
}

impl App {
    /// Makes the first commit of an empty repository, with the default branch and the branch `wanted` on it, if `from`
    /// names the default branch. Both branches are judged like a first push, and both come to be at once or neither.
    /// Returns `false`, and makes nothing, if `from` names something else, if there are refs already or another caller
    /// is faster in making some, and while the repository is being filled from elsewhere.
    pub(crate) fn make_first_branches(
        &self,
        writable: &Writable,
        wanted: &BranchName,
        from: &str,
    ) -> Result<bool, AppError> {
        let project = &writable.code.project;
        let being_filled = match project.import {
            Import::Scheduled | Import::Started => true,
            Import::None | Import::Finished | Import::Failed(_) => false,
        };
        if project.default_branch.is_some() || being_filled {
            return Ok(false);
        }
        let repository = self.repository(project.id)?;
        let default = repository.default_branch()?.filter(|name| from == "HEAD" || from == name.as_str());
        let Some(default) = default else { return Ok(false) };
        if repository.has_refs()? {
            return Ok(false);
        }
        let mut names = vec![&default];
        names.extend((*wanted != default).then_some(wanted));
        for name in &names {
            writable.check(RefKind::Branch, name.as_str(), RefChange::Create)?;
        }
        self.check_room(project.id)?;
        let author = writable.signature(self.now());
        let commit = readme(&default, String::new(), author).and_then(|request| repository.prepare_commit(&request));
        let commit = commit.map_err(refused)?;
        let changes: Vec<GitChange> =
            names.iter().map(|name| GitChange::Create { name: name.full(), new: commit }).collect();
        match repository.update_refs(&changes) {
            Ok(()) => {}
            Err(WriteError::Refused(Refusal::AlreadyExists)) => return Ok(false),
            Err(WriteError::Refused(Refusal::DirectoryFileConflict)) => {
                return Err(RepositoryRefusal::InvalidBranch.into());
            }
            Err(error) => return Err(refused(error)),
        }
        let moved =
            |name: &&BranchName| RefUpdate { name: name.full().as_str().to_owned(), old: Oid::ZERO, new: commit };
        self.handle_ref_updates(project.id, Some(writable.user.id), &names.iter().map(moved).collect::<Vec<_>>())?;
        Ok(true)
    }
}

//! The first commit of an empty repository, where a request asks for one: a readme on the default branch.

use tenon_domain::project::Import;
use tenon_domain::repository::{RefChange, RefKind};
use tenon_git::write::actions::{Action, CommitRequest};
use tenon_git::write::{Refusal, WriteError};
use tenon_git::{BranchName, Oid, Repository, Signature, TreePath};

use super::writing::{Writable, refused};
use crate::app::App;
use crate::error::AppError;

/// The file of the first commit.
pub(super) const README: &str = "README.md";

/// Makes the first commit of `branch`, which must not be there: a readme with this content.
pub(super) fn commit_readme(
    repository: &Repository,
    branch: &BranchName,
    content: String,
    author: Signature,
) -> Result<Oid, WriteError> {
    let path = TreePath::parse(README).map_err(|_invalid| WriteError::Refused(Refusal::Missing))?;
    repository.commit_actions(&CommitRequest {
        branch: branch.clone(),
        tip: None,
        start: None,
        committer: author.clone(),
        author,
        message: "Initial commit".to_owned(),
        actions: vec![Action::Create { path, content: content.into_bytes(), executable: false }],
    })
}

/// Where a new branch of an empty repository starts.
pub(super) struct FirstStart {
    /// The first commit of the default branch.
    pub(super) commit: Oid,
    /// Whether that made the wanted branch as well, because it is the default one.
    pub(super) is_wanted: bool,
}

impl App {
    /// Makes the first commit of an empty repository, so that the branch `wanted` can start at `from`, which has to name
    /// the default branch. `None` where `from` names something else, where the repository is not empty, and while it is
    /// being filled from elsewhere. Both branches are judged like a first push before anything is written.
    pub(super) fn first_start(
        &self,
        writable: &Writable,
        wanted: &BranchName,
        from: &str,
    ) -> Result<Option<FirstStart>, AppError> {
        let project = &writable.code.project;
        let being_filled = match project.import {
            Import::Scheduled | Import::Started => true,
            Import::None | Import::Finished | Import::Failed(_) => false,
        };
        if project.default_branch.is_some() || being_filled {
            return Ok(None);
        }
        let repository = self.repository(project.id)?;
        let Some(default) = repository.default_branch()?.filter(|name| from == "HEAD" || from == name.as_str()) else {
            return Ok(None);
        };
        let is_wanted = *wanted == default;
        for name in [&default, wanted] {
            writable.check(RefKind::Branch, name.as_str(), RefChange::Create).map_err(AppError::Refused)?;
        }
        if is_below(wanted, &default) || is_below(&default, wanted) {
            return Err(AppError::Refused("Branch name is invalid".to_owned()));
        }
        match commit_readme(&repository, &default, String::new(), writable.signature(self.now())) {
            Ok(commit) => {
                self.moved(writable, &default.full(), Oid::ZERO, commit)?;
                Ok(Some(FirstStart { commit, is_wanted }))
            }
            // A push or another request was faster: the branch starts at what that one made.
            Err(WriteError::Refused(Refusal::Stale | Refusal::AlreadyExists)) => {
                let tip = repository.ref_target(&default.full())?;
                Ok(tip.map(|commit| FirstStart { commit, is_wanted: false }))
            }
            Err(error) => Err(refused(error)),
        }
    }
}

/// Whether Git would need `above` as a directory and as a file.
fn is_below(name: &BranchName, above: &BranchName) -> bool {
    name.as_str().strip_prefix(above.as_str()).is_some_and(|rest| rest.starts_with('/'))
}

//! Which branches and tags contain a commit (reference, repository-git-webhooks, section 10.3).

use crate::error::GitError;
use crate::name::{BranchName, RefName, TagName};
use crate::oid::Oid;
use crate::repository::Repository;

/// Branches and tags from which a commit can be reached, each sorted by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Containing {
    /// The branches.
    pub branches: Vec<BranchName>,
    /// The tags.
    pub tags: Vec<TagName>,
}

impl Repository {
    /// Which branches and tags contain `commit`. Fails when it is not there.
    pub fn refs_containing(&self, commit: Oid) -> Result<Containing, GitError> {
        let output = self
            .git("for-each-ref")
            .args(["--format=%(refname)".to_owned(), format!("--contains={commit}")])
            .args(["refs/heads/", "refs/tags/"])
            .text()?;
        let names: Vec<RefName> = output.lines().filter_map(|line| RefName::parse(line).ok()).collect();
        let branches = names.iter().filter_map(RefName::branch).collect();
        Ok(Containing { branches, tags: names.iter().filter_map(RefName::tag).collect() })
    }
}

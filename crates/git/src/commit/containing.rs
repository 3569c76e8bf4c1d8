//! Which branches, tags and merge requests contain a commit.

use std::collections::HashSet;

use crate::config::NOT_FETCHABLE;
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

/// Merge requests whose heads contain a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offering {
    /// Their numbers, in no order.
    pub iids: Vec<i64>,
    /// Commits that are kept alive and contain it as well. A merge request that was compared with one of these brings
    /// nothing of it.
    pub kept: HashSet<Oid>,
}

impl Repository {
    /// Which branches and tags contain `commit`. Fails if it is not there.
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

    /// True if a commit can be reached from a ref that a fetch shows to clients. Fails if it is not there.
    pub(crate) fn is_reachable_for_clients(&self, commit: Oid) -> Result<bool, GitError> {
        let output = self
            .git("for-each-ref")
            .args(["--count=1".to_owned(), "--format=%(refname)".to_owned(), format!("--contains={commit}")])
            .args(NOT_FETCHABLE.map(|hidden| format!("--exclude={hidden}/")))
            .text()?;
        Ok(!output.trim().is_empty())
    }

    /// Which merge requests have heads that contain `commit`. Fails if it is not there.
    pub fn merge_requests_containing(&self, commit: Oid) -> Result<Offering, GitError> {
        let output = self
            .git("for-each-ref")
            .args(["--format=%(refname)".to_owned(), format!("--contains={commit}")])
            .args(["refs/merge-requests/", "refs/keep-around/"])
            .text()?;
        let mut found = Offering::default();
        for name in output.lines() {
            if let Some(kept) = name.strip_prefix("refs/keep-around/") {
                found.kept.extend(kept.parse::<Oid>().ok());
            } else if let Some(iid) =
                name.strip_prefix("refs/merge-requests/").and_then(|rest| rest.strip_suffix("/head"))
            {
                found.iids.extend(iid.parse::<i64>().ok());
            }
        }
        Ok(found)
    }
}

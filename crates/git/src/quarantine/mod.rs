//! A push that has not been accepted yet: its objects are there, its refs are not.

mod change;
mod changed;
mod check;
mod entries;
mod stop;
mod trees;
mod walk;

use std::ffi::OsString;
use std::path::Path;

use crate::command::budget::Budget;
use crate::command::{Command, failure, lossy};
use crate::config::NOT_PUSHABLE;
use crate::error::GitError;
use crate::hook::QuarantinePaths;
use crate::name::RefName;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::store::size;

/// The reason why a push is refused if commits before its own are missing everywhere.
pub const SHALLOW: &str = "This push comes from a shallow clone, and the project lacks commits before it. Run `git fetch --unshallow`, and push again.";

/// A repository together with the objects of a push or an import.
#[derive(Debug)]
pub struct Quarantine {
    repository: Repository,
    environment: Vec<(&'static str, OsString)>,
    /// The place of the objects that are not accepted yet.
    brought: Brought,
    /// The revisions that `git rev-list` leaves out: those that the refs of the repository reach already, or none.
    known: &'static str,
}

/// The place of the objects that are not accepted yet.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Brought {
    Nowhere,
    /// In a directory of their own.
    Folder(OsString),
    /// Nothing else lies in the repository.
    Whole,
}

impl Repository {
    /// The quarantine that a hook has reported of a push. The paths come over a socket, so they are used only if they
    /// lie in this repository's own directory.
    pub fn quarantine(&self, paths: &QuarantinePaths) -> Result<Quarantine, GitError> {
        let objects = self.path().join("objects");
        // A colon begins another directory, `..` leads out of this one.
        let inside = |path: &str| Path::new(path).starts_with(&objects) && !path.contains(':') && !path.contains("/..");
        let variables =
            [("GIT_OBJECT_DIRECTORY", &paths.objects), ("GIT_ALTERNATE_OBJECT_DIRECTORIES", &paths.alternates)];
        let mut environment = Vec::new();
        for (name, value) in variables {
            // A push without objects, such as a deletion, has no quarantine.
            let Some(value) = value else { continue };
            if !inside(value) {
                return Err(GitError::Unexpected("receive-pack"));
            }
            environment.push((name, OsString::from(value)));
        }
        // The refs of the push have not moved yet.
        let brought = paths.objects.as_ref().map_or(Brought::Nowhere, |path| Brought::Folder(path.into()));
        Ok(Quarantine { repository: self.clone(), environment, brought, known: "--not\n--all\n" })
    }

    /// The objects in a directory that lie beside those of `alternates`, which are known already. The refs below `refs/known`
    /// reach those.
    pub(crate) fn beside(&self, objects: OsString, alternates: OsString) -> Quarantine {
        let environment = vec![("GIT_ALTERNATE_OBJECT_DIRECTORIES", alternates)];
        let known = "--not\n--glob=refs/known/*\n";
        Quarantine { repository: self.clone(), environment, brought: Brought::Folder(objects), known }
    }

    /// A repository that was fetched whole, before anything else knows of it.
    pub(crate) fn fetched(&self) -> Quarantine {
        Quarantine { repository: self.clone(), environment: Vec::new(), brought: Brought::Whole, known: "" }
    }
}

impl Repository {
    /// The bytes that a push has brought and that lie in quarantine; 0 if it has brought nothing.
    pub fn quarantine_size(&self, paths: &QuarantinePaths) -> Result<u64, GitError> {
        let Some(path) = &paths.quarantine else { return Ok(0) };
        if !Path::new(path).starts_with(self.path().join("objects")) || path.contains("/..") {
            return Err(GitError::Unexpected("receive-pack"));
        }
        size(Path::new(path)).map_err(GitError::File)
    }
}

impl Quarantine {
    fn git(&self, name: &'static str) -> Command {
        // A push may bring the whole history of a large project.
        let time = self.repository.limits().push.judge_time;
        self.repository.git(name).envs(self.environment.iter().cloned()).time(time).budget(Budget::Transfer)
    }

    /// True if `older` comes before `newer`. If it is false, the update is a force push.
    pub fn is_ancestor(&self, older: Oid, newer: Oid) -> Result<bool, GitError> {
        let names = [older.to_string(), newer.to_string()];
        let outcome = self.git("merge-base").arg("--is-ancestor").operands(names).outcome()?;
        match outcome.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            code => Err(failure("merge-base", Some(self.repository.path()), code, outcome.log)),
        }
    }

    /// True if commits before these are missing, as in a push from a shallow clone. Git refuses such refs anyway, after
    /// its hooks: what these say should be the same.
    pub fn lacks_history(&self, tips: &[Oid]) -> Result<bool, GitError> {
        if self.brought == Brought::Nowhere {
            return Ok(false);
        }
        let outcome = self.revisions(tips, &["--count"]).outcome()?;
        // A commit that is there and damaged is another failure.
        let mut lines = outcome.log.0.lines();
        let is_missing =
            lines.any(|line| ["error: Could not read ", "fatal: bad object "].iter().any(|it| line.starts_with(it)));
        Ok(outcome.code != Some(0) && is_missing)
    }

    /// True if `id` is a commit: a branch must not point at anything else.
    pub fn is_commit(&self, id: Oid) -> Result<bool, GitError> {
        let output = self.git("cat-file").arg("--batch-check").input(format!("{id}\n")).bytes()?;
        Ok(lossy(&output).contains(" commit "))
    }

    /// Commits that the push brings, newest first, at most `limit`.
    pub fn new_commits(&self, tips: &[Oid], limit: u32) -> Result<Vec<Oid>, GitError> {
        let output = self.revisions(tips, &[&format!("--max-count={limit}")]).bytes()?;
        Ok(lossy(&output).lines().filter_map(|line| line.parse().ok()).collect())
    }

    fn revisions(&self, tips: &[Oid], options: &[&str]) -> Command {
        self.git("rev-list").args(options).arg("--stdin").input(self.selection(tips))
    }

    fn selection(&self, tips: &[Oid]) -> String {
        let tips: String = tips.iter().filter(|tip| !tip.is_zero()).map(|tip| format!("{tip}\n")).collect();
        tips + self.known
    }
}

impl Repository {
    /// True if there is a branch, a tag or another ref that a client may push. The server's own refs do not count.
    pub fn has_refs(&self) -> Result<bool, GitError> {
        Ok(self.count_refs(&NOT_PUSHABLE)? > 0)
    }

    /// True if a repository to which `created` refs are added has more than `quotas.refs`. The server's own refs do not
    /// count.
    pub fn has_too_many_refs(&self, created: usize) -> Result<bool, GitError> {
        let most = self.limits().quotas.refs;
        if created == 0 || (created <= most && !self.exists()) {
            return Ok(false);
        }
        Ok(created > most || self.count_refs(&NOT_PUSHABLE)? > most - created)
    }
}

/// True if a client may push to a ref of this name at all: a branch or tag whose name cannot be taken for anything
/// else, or another ref that is not the server's own.
#[must_use]
pub fn is_pushable(name: &str) -> bool {
    let Ok(full) = RefName::parse(name) else { return false };
    if name.starts_with("refs/heads/") {
        return full.branch().is_some();
    }
    if name.starts_with("refs/tags/") {
        return full.tag().is_some();
    }
    !NOT_PUSHABLE.iter().any(|own| name.strip_prefix(own).is_some_and(|rest| rest.starts_with('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_something_else_are_not_pushed() {
        for name in ["refs/heads/main", "refs/tags/v1", "refs/notes/commits"] {
            assert!(is_pushable(name), "{name}");
        }
        let sha = format!("refs/heads/{}", "a".repeat(40));
        for name in ["refs/heads/-x", "refs/heads/HEAD", "refs/tags/refs/heads/x", "refs/keep-around/x", "HEAD", &sha] {
            assert!(!is_pushable(name), "{name}");
        }
    }
}

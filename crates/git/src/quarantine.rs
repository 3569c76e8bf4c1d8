//! A push that has not been accepted yet: its objects are there, its refs are not (reference, git-engine, section 4.3).

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use crate::command::{Command, failure, lossy};
use crate::error::GitError;
use crate::hook::QuarantinePaths;
use crate::name::RefName;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::store::size;
use crate::tree_path::is_dot_git;

/// A push may bring the whole history of a large project.
const TIME: Duration = Duration::from_mins(15);
/// What Git may take for the paths of one commit, in bytes: enough for a million of them.
const MEMORY: u64 = 1 << 30;

/// A repository together with the objects of a push.
#[derive(Debug)]
pub struct Quarantine {
    repository: Repository,
    environment: Vec<(&'static str, OsString)>,
}

impl Repository {
    /// What a hook has told of a push. The paths are used only if they lie in this repository's own directory: they come
    /// over a socket.
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
        Ok(Quarantine { repository: self.clone(), environment })
    }
}

impl Repository {
    /// The bytes that a push has brought and that lie in quarantine; 0 where it has brought nothing.
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
        self.repository.git(name).envs(self.environment.iter().cloned()).time(TIME)
    }

    /// Whether `older` comes before `newer`: an update that is not so is a force push.
    pub fn is_ancestor(&self, older: Oid, newer: Oid) -> Result<bool, GitError> {
        let names = [older.to_string(), newer.to_string()];
        let outcome = self.git("merge-base").arg("--is-ancestor").operands(names).outcome()?;
        match outcome.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            code => Err(failure("merge-base", Some(self.repository.path()), code, outcome.log)),
        }
    }

    /// Whether `id` is a commit: a branch must not point at anything else.
    pub fn is_commit(&self, id: Oid) -> Result<bool, GitError> {
        let output = self.git("cat-file").arg("--batch-check").input(format!("{id}\n")).bytes()?;
        Ok(lossy(&output).contains(" commit "))
    }

    /// Commits that the push brings, newest first, at most `limit`.
    pub fn new_commits(&self, tips: &[Oid], limit: u32) -> Result<Vec<Oid>, GitError> {
        let output = self.revisions(tips, &[&format!("--max-count={limit}")]).bytes()?;
        Ok(lossy(&output).lines().filter_map(|line| line.parse().ok()).collect())
    }

    /// A file that the push brings and that has more than `bytes`; `None` where all are smaller.
    pub fn blob_over(&self, tips: &[Oid], bytes: u64) -> Result<Option<Oid>, GitError> {
        // Git compares with "not less", and we ask for "more".
        let filter = format!("--filter=blob:limit={}", bytes.saturating_add(1));
        let objects = self.revisions(tips, &["--objects", "--filter-print-omitted", &filter]).stream()?;
        objects.find_record(b'\n', |line| Oid::from_bytes(line.strip_prefix(b"~")?))
    }

    /// A path that the new commits change, and that some file system takes for Git's own directory, or that shows as
    /// something else than it is (control characters). `receive.fsckObjects` refuses most of them before. Paths are bytes:
    /// that some are no UTF-8 must not hide them. Fails with [`GitError::TooLarge`] where one commit changes so many paths
    /// that Git cannot hold them: a few kilobytes of directories that contain each other can make any number.
    pub fn name_that_lies(&self, tips: &[Oid]) -> Result<Option<String>, GitError> {
        let paths = self
            .git("log")
            .args(["-z", "--format=", "--name-only", "--no-renames", "--diff-merges=separate", "--stdin"])
            .args(["--no-ext-diff", "--no-textconv"])
            .input(selection(tips))
            .stream_within(MEMORY)?;
        paths.find_record(0, |path| {
            let text = lossy(path);
            let lies = text.contains(char::is_control) || text.split('/').any(is_dot_git);
            lies.then(|| text.escape_debug().to_string())
        })
    }

    /// The other objects of the repository are excluded by naming its refs: those of the push have not moved yet.
    fn revisions(&self, tips: &[Oid], options: &[&str]) -> Command {
        self.git("rev-list").args(options).arg("--stdin").input(selection(tips))
    }
}

fn selection(tips: &[Oid]) -> String {
    let tips: String = tips.iter().filter(|tip| !tip.is_zero()).map(|tip| format!("{tip}\n")).collect();
    format!("{tips}--not\n--all\n")
}

/// Whether a client may push to a ref of this name at all: a branch or tag whose name the server can tell from everything
/// else (reference, git-engine, section 3.3), or another ref that is not the server's own.
#[must_use]
pub fn is_pushable(name: &str) -> bool {
    let Ok(full) = RefName::parse(name) else { return false };
    if name.starts_with("refs/heads/") {
        return full.branch().is_some();
    }
    if name.starts_with("refs/tags/") {
        return full.tag().is_some();
    }
    !crate::config::NOT_PUSHABLE.iter().any(|own| name.strip_prefix(own).is_some_and(|rest| rest.starts_with('/')))
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

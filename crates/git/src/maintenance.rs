//! What keeps a repository fast and small (reference, git-engine, sections 1.2 and 3.4).

use std::time::Duration;

use crate::error::GitError;
use crate::repository::Repository;

const TIME: Duration = Duration::from_hours(1);

impl Repository {
    /// Brings the commit graph up to date: to be done after every change of a branch, in the background. Without it,
    /// questions about history take a hundred times as long.
    pub fn write_commit_graph(&self) -> Result<(), GitError> {
        self.git("commit-graph")
            .args(["write", "--reachable", "--changed-paths", "--split", "--no-progress"])
            .time(TIME)
            .bytes()?;
        Ok(())
    }

    /// Packs refs and objects, and drops objects that nothing has reached for two weeks: until then, what was deleted can
    /// still be fetched by who knows its name. To be done now and then, in the background.
    pub fn maintain(&self) -> Result<(), GitError> {
        self.maintain_keeping("2.weeks.ago")
    }

    /// Like [`Repository::maintain`], but drops at once everything that nothing reaches: for secrets that were pushed by
    /// mistake. Only while nobody writes to the repository.
    pub fn drop_unreachable(&self) -> Result<(), GitError> {
        self.git("reflog").args(["expire", "--expire=now", "--expire-unreachable=now", "--all"]).time(TIME).bytes()?;
        self.maintain_keeping("now")
    }

    fn maintain_keeping(&self, expiry: &str) -> Result<(), GitError> {
        self.git("pack-refs").args(["--all", "--prune"]).time(TIME).bytes()?;
        self.git("reflog")
            .args(["expire", "--expire=90.days.ago", "--expire-unreachable=2.weeks.ago", "--all"])
            .time(TIME)
            .bytes()?;
        self.git("repack")
            .args(["-d", "--cruft", "--quiet"])
            .arg(format!("--cruft-expiration={expiry}"))
            .time(TIME)
            .bytes()?;
        self.git("prune").arg(format!("--expire={expiry}")).time(TIME).bytes()?;
        self.write_commit_graph()
    }

    /// Whether every object is whole and every ref leads to one. Reads the whole repository.
    pub fn is_sound(&self) -> Result<bool, GitError> {
        let outcome = self.git("fsck").args(["--full", "--no-dangling", "--no-progress"]).time(TIME).outcome()?;
        if outcome.code != Some(0) && self.exists() {
            tracing::warn!(repository = ?self.path(), log = ?outcome.log, "git fsck found faults");
        }
        if self.exists() { Ok(outcome.code == Some(0)) } else { Err(GitError::NoRepository) }
    }
}

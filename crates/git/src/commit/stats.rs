//! How many lines commits add and remove.

use std::collections::HashMap;

use crate::command::lossy;
use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;

/// Lines added and removed. Binary files count as none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Lines added.
    pub additions: u64,
    /// Lines removed.
    pub deletions: u64,
    /// Files changed.
    pub files: u64,
}

impl Repository {
    /// What each of these commits changes against its first parent, by one process. Fails when one is not there.
    pub fn commit_stats(&self, commits: &[Oid]) -> Result<HashMap<Oid, Stats>, GitError> {
        if commits.is_empty() {
            return Ok(HashMap::new());
        }
        let output = self
            .git("log")
            .args([
                "--no-walk=unsorted",
                "--stdin",
                "--format=tformat:commit %H",
                "--numstat",
                "--diff-merges=first-parent",
            ])
            .args(["--no-ext-diff", "--no-textconv", "--no-color", "-M", "-l1000"])
            .input(commits.iter().map(|id| format!("{id}\n")).collect::<String>())
            .bytes()?;
        let mut all = HashMap::new();
        let mut stats = None;
        for line in lossy(&output).lines() {
            if let Some(id) = line.strip_prefix("commit ") {
                stats = id.parse().ok().map(|id: Oid| all.entry(id).or_insert_with(Stats::default));
            } else if let Some(stats) = &mut stats {
                stats.add(line);
            }
        }
        Ok(all)
    }

    /// What lies between two commits or trees.
    pub fn stats_between(&self, from: Oid, to: Oid) -> Result<Stats, GitError> {
        let output = self
            .git("diff-tree")
            .args(["-r", "--numstat", "--no-ext-diff", "--no-textconv", "--no-color", "-M", "-l1000"])
            .operands([from.to_string(), to.to_string()])
            .bytes()?;
        let mut stats = Stats::default();
        lossy(&output).lines().for_each(|line| stats.add(line));
        Ok(stats)
    }
}

impl Stats {
    /// Takes in a line of `--numstat`: `3\t1\tname`, or `-\t-\tname` for a binary file.
    fn add(&mut self, line: &str) {
        let mut fields = line.split('\t');
        let (Some(added), Some(removed), Some(_name)) = (fields.next(), fields.next(), fields.next()) else { return };
        self.additions += added.parse().unwrap_or(0);
        self.deletions += removed.parse().unwrap_or(0);
        self.files += 1;
    }
}

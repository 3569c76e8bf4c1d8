//! How many lines differ between two commits.

use std::time::Duration;

use crate::command::budget::Budget;
use crate::command::lossy;
use crate::error::GitError;
use crate::numstat::Stats;
use crate::oid::Oid;
use crate::remembered::{Question, Size};
use crate::repository::Repository;

/// Longer names of files are of no interest here.
const LONGEST: usize = 256;

/// The lines that differ between two commits.
#[derive(Debug, PartialEq, Eq, Hash)]
struct TotalsOf(Oid, Oid);

impl Question for TotalsOf {
    type Answer = Stats;
}

impl Size for Stats {
    fn size(&self) -> usize {
        size_of::<Self>()
    }
}

impl Repository {
    /// The lines and files that differ between two commits, which must have been found in this repository: the answer is remembered.
    /// Fails with [`GitError::Timeout`] if Git needs longer than `time`.
    pub fn totals(&self, from: Oid, to: Oid, time: Duration) -> Result<Stats, GitError> {
        self.remember(TotalsOf(from, to), || self.count_lines(from, to, time)).map(|stats| *stats)
    }

    /// The same, if it is remembered.
    pub fn known_totals(&self, from: Oid, to: Oid) -> Option<Stats> {
        self.recall(&TotalsOf(from, to)).map(|stats| *stats)
    }

    fn count_lines(&self, from: Oid, to: Oid, time: Duration) -> Result<Stats, GitError> {
        let mut records = self
            .git("diff-tree")
            .args(["-r", "--numstat", "--no-ext-diff", "--no-textconv", "--no-color", "-M", "-l1000"])
            .operands([from.to_string(), to.to_string()])
            .time(time)
            .budget(Budget::Long)
            .stream()?
            .records();
        let mut stats = Stats::default();
        while let Some(line) = records.next(b'\n', LONGEST)? {
            stats.add(&lossy(&line));
        }
        Ok(stats)
    }
}

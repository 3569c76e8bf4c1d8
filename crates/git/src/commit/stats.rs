//! How many lines commits add and remove.

use std::collections::HashMap;

use crate::command::budget::Budget;
use crate::command::lossy;
use crate::error::GitError;
use crate::numstat::Stats;
use crate::oid::Oid;
use crate::repository::Repository;

/// Longer names of files are of no interest here.
const LONGEST: usize = 256;

impl Repository {
    /// The changes of each of these commits against its first parent. Of one commit, no more files are counted than
    /// `reads.stats_files`; of all together, no more than `reads.stats_files_per_page`. Files behind those count as
    /// nothing, and are counted when they are asked for again. Fails if one is not there.
    pub fn commit_stats(&self, commits: &[Oid]) -> Result<HashMap<Oid, Stats>, GitError> {
        let known = &self.remembered().stats;
        let mut all: HashMap<Oid, Stats> =
            commits.iter().filter_map(|id| known.get(*id).map(|stats| (*id, stats))).collect();
        let mut missing: Vec<Oid> = commits.iter().copied().filter(|id| !all.contains_key(id)).collect();
        let reads = &self.limits().reads;
        let mut left = u64::try_from(reads.stats_files_per_page.max(reads.stats_files)).unwrap_or(u64::MAX);
        while !missing.is_empty() && left > 0 {
            // If one has too many files, not all are counted: the process is ended there, and another one goes on
            // behind it.
            let (counted, partial) = self.count_files(&missing, left)?;
            if counted.is_empty() && partial.is_none() {
                break;
            }
            for (id, stats) in counted {
                left = left.saturating_sub(stats.files);
                known.put(id, stats);
                all.insert(id, stats);
            }
            if let Some((id, stats)) = partial {
                left = 0;
                all.insert(id, stats);
            }
            missing.retain(|id| !all.contains_key(id));
        }
        all.extend(missing.into_iter().map(|id| (id, Stats::default())));
        Ok(all)
    }

    /// The statistics of the first ones of these commits, up to one with `reads.stats_files` files. Also those of the
    /// commit at which `left` files are counted, of which there may be more.
    fn count_files(&self, commits: &[Oid], left: u64) -> Result<(Vec<Counted>, Option<Counted>), GitError> {
        let most = u64::try_from(self.limits().reads.stats_files).unwrap_or(u64::MAX);
        let format = ["--no-walk=unsorted", "--stdin", "--format=tformat:commit %H", "--diff-merges=first-parent"];
        let mut records = self
            .git("log")
            .args(format)
            .args(["--numstat", "--no-ext-diff", "--no-textconv", "--no-color", "-M", "-l1000"])
            .input(commits.iter().map(|id| format!("{id}\n")).collect::<String>())
            .budget(Budget::Long)
            .stream()?
            .records();
        let mut counted: Vec<Counted> = Vec::new();
        let mut sum = 0;
        while let Some(line) = records.next(b'\n', LONGEST)? {
            if let Some(id) = line.strip_prefix(b"commit ").and_then(Oid::from_bytes) {
                counted.push((id, Stats::default()));
            } else if let Some((_, stats)) = counted.last_mut()
                && stats.add(&lossy(&line))
            {
                sum += 1;
                if stats.files >= most {
                    break;
                }
                if sum >= left {
                    let partial = counted.pop();
                    return Ok((counted, partial));
                }
            }
        }
        Ok((counted, None))
    }
}

/// A commit and its numbers of lines and files.
type Counted = (Oid, Stats);

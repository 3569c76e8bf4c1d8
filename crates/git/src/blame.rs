//! Which commit each line of a file comes from.

use std::time::Duration;

use crate::command::lossy;
use crate::commit::Commit;
use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::tree_path::LookupPath;

/// Lines next to each other that come from one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlameRange {
    /// The commit.
    pub commit: Commit,
    /// The lines without their ends; replaced where they were no UTF-8.
    pub lines: Vec<String>,
}

impl Repository {
    /// The lines of a file with the commits they come from; `None` when there is no such file. Fails with
    /// [`GitError::Timeout`] after `time`.
    pub fn blame(&self, commit: Oid, path: &LookupPath, time: Duration) -> Result<Option<Vec<BlameRange>>, GitError> {
        if self.blob_at(commit, path, 0)?.is_none() {
            return Ok(None);
        }
        let command = self.git("blame").args(["--porcelain", &commit.to_string()]).paths([path.as_str()]);
        let output = command.time(time).bytes()?;
        let mut ranges: Vec<(Oid, Vec<String>)> = Vec::new();
        let mut current = None;
        for line in output.split(|byte| *byte == b'\n') {
            // A line of the file begins with a tab; before it stands a line with the commit and its numbers.
            if let Some(text) = line.strip_prefix(b"\t") {
                let Some(id) = current.take() else { return Err(GitError::Unexpected("blame")) };
                match ranges.last_mut() {
                    Some((last, lines)) if *last == id => lines.push(lossy(text)),
                    _ => ranges.push((id, vec![lossy(text)])),
                }
            } else if current.is_none() {
                current = line.get(..40).and_then(Oid::from_bytes);
            }
        }
        let ids: Vec<Oid> = ranges.iter().map(|(id, _)| *id).collect();
        let commits = self.commits_by_id(&ids)?;
        let range = |(id, lines)| Some(BlameRange { commit: commits.get(&id)?.clone(), lines });
        Ok(Some(ranges.into_iter().filter_map(range).collect()))
    }
}

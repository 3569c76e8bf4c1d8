//! Which commit each line of a file comes from.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tenon_domain::file_path::FilePath;

use crate::command::budget::Budget;
use crate::command::lossy;
use crate::command::stream::Records;
use crate::commit::Commit;
use crate::diff::unquoted;
use crate::error::GitError;
use crate::oid::Oid;
use crate::remembered::{Question, Size};
use crate::repository::Repository;
use crate::tree::EntryKind;
use crate::tree_path::LookupPath;

/// Lines next to each other that come from one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlameRange {
    /// The commit.
    pub commit: Commit,
    /// The place of the lines before the commit: a parent and a path in it. `None` if the commit has added the file.
    pub previous: Option<(Oid, FilePath)>,
    /// The lines without their ends. Bytes that are no UTF-8 are replaced.
    pub lines: Vec<String>,
}

/// Which lines of a file are wanted, both counted from 1 and included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlameLines {
    /// The first one.
    pub start: usize,
    /// The last one. If the file ends before it, the last line of the file.
    pub end: usize,
}

/// The answer to the question where lines come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blame {
    /// The ranges of lines, each with its commit.
    Lines(Vec<BlameRange>),
    /// There are more lines than `reads.blame_lines`, and none were chosen.
    TooManyLines,
}

impl Size for Blame {
    fn size(&self) -> usize {
        match self {
            Self::Lines(ranges) => {
                let previous = |range: &BlameRange| range.previous.as_ref().map_or(0, |(_, path)| path.size());
                ranges.iter().map(|range| range.commit.size() + range.lines.size() + previous(range)).sum()
            }
            Self::TooManyLines => 0,
        }
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct BlameOf {
    commit: Oid,
    path: LookupPath,
    lines: Option<BlameLines>,
}

impl Question for BlameOf {
    type Answer = Option<Blame>;
}

impl Repository {
    /// The lines of a file with the commits they come from; `None` if there is no such file. Without `lines` all of
    /// them, up to `reads.blame_lines`. Messages of commits are cut, so that all texts together have a bound. Fails
    /// with [`GitError::Timeout`] after `time`. Fails with [`GitError::TooLarge`] if the lines have more bytes than
    /// `answers.json_file`.
    pub fn blame(
        &self,
        commit: Oid,
        path: &LookupPath,
        lines: Option<BlameLines>,
        time: Duration,
    ) -> Result<Option<Blame>, GitError> {
        let question = BlameOf { commit, path: path.clone(), lines };
        let found = self.remember(question, || self.find_blame(commit, path, lines, time))?;
        Ok(Arc::unwrap_or_clone(found))
    }

    fn find_blame(
        &self,
        commit: Oid,
        path: &LookupPath,
        lines: Option<BlameLines>,
        time: Duration,
    ) -> Result<Option<Blame>, GitError> {
        if self.tree_entry(commit, path)?.is_none_or(|entry| entry.kind != EntryKind::Blob) {
            return Ok(None);
        }
        let most = self.limits().reads.blame_lines;
        // One line more than is answered shows whether there are more.
        let BlameLines { start, end } = lines.unwrap_or(BlameLines { start: 1, end: most.saturating_add(1) });
        let records = self
            .git("blame")
            .args(["--porcelain", "-L", &format!("{start},{end}"), &commit.to_string()])
            .paths([path.argument()])
            .time(time)
            .budget(Budget::Long)
            .stream()?
            .records();
        let ranges = match read(records, self.limits().answers.json_file) {
            // It is asked for lines behind the end, or the file is empty.
            Err(GitError::Failed { log, .. }) if log.0.contains(" has only ") => Vec::new(),
            ranges => ranges?,
        };
        let count: usize = ranges.iter().map(|range| range.lines.len()).sum();
        if lines.is_none() && count > most {
            return Ok(Some(Blame::TooManyLines));
        }
        let mut ids: Vec<Oid> = ranges.iter().map(|range| range.commit).collect();
        ids.sort_unstable();
        ids.dedup();
        // A commit is answered with each of its ranges.
        let share = self.limits().answers.json_file / u64::try_from(ranges.len()).unwrap_or(u64::MAX).max(1);
        let longest = self.limits().reads.message;
        let commits = self.commits_within(&ids, longest, longest.min(share))?;
        let range = |Read { commit, previous, lines }| {
            Some(BlameRange { commit: commits.get(&commit)?.clone(), previous, lines })
        };
        Ok(Some(Blame::Lines(ranges.into_iter().filter_map(range).collect())))
    }
}

/// Lines next to each other that come from one commit, as they are read.
struct Read {
    commit: Oid,
    previous: Option<(Oid, FilePath)>,
    lines: Vec<String>,
}

/// Reads the output of `blame --porcelain`. Before each line of the file stands a line with its commit and what is
/// known of it. The earlier place of the lines stands there once for each commit and name of the file.
fn read(mut records: Records, most: u64) -> Result<Vec<Read>, GitError> {
    let longest = usize::try_from(most).unwrap_or(usize::MAX);
    let mut ranges: Vec<Read> = Vec::new();
    let mut before: HashMap<Oid, (Oid, FilePath)> = HashMap::new();
    let (mut current, mut sum) = (None, 0);
    while let Some(line) = records.next(b'\n', longest.saturating_add(2))? {
        // A line of the file begins with a tab. One that is cut is too long in any case.
        let Some(text) = line.strip_prefix(b"\t") else {
            match current {
                None => current = line.get(..40).and_then(Oid::from_bytes),
                Some(id) => {
                    if let Some(found) = line.strip_prefix(b"previous ").and_then(previous) {
                        before.insert(id, found);
                    }
                }
            }
            continue;
        };
        sum += text.len();
        if sum > longest {
            return Err(GitError::TooLarge("blame"));
        }
        let Some(id) = current.take() else { return Err(GitError::Unexpected("blame")) };
        match ranges.last_mut() {
            Some(last) if last.commit == id => last.lines.push(lossy(text)),
            _ => ranges.push(Read { commit: id, previous: before.get(&id).cloned(), lines: vec![lossy(text)] }),
        }
    }
    Ok(ranges)
}

/// A commit and the name of a file.
fn previous(text: &[u8]) -> Option<(Oid, FilePath)> {
    let (id, name) = text.split_at_checked(40)?;
    Some((Oid::from_bytes(id)?, unquoted(name.strip_prefix(b" ")?)))
}

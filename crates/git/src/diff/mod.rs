//! The difference between two commits.

mod changed_paths;
mod excerpt;
mod lines;
mod parse;
mod quoted;
mod totals;

use std::time::Duration;

use tenon_domain::file_path::FilePath;

use crate::command::budget::Budget;
use crate::command::stream::GitStream;
use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::tree_path::LookupPath;

pub use changed_paths::ChangedPaths;
pub use excerpt::{Excerpt, LineOf};
pub use lines::{Fate, ShownLine};
pub(crate) use quoted::unquoted;

/// How much of a difference is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffLimits {
    /// Files.
    pub files: usize,
    /// Bytes of text of one file; the text of a file with more is left out.
    pub file_bytes: usize,
    /// Bytes of text of all files; the texts of the files behind them are left out.
    pub total_bytes: usize,
    /// Lines of text of all files; as `total_bytes`.
    pub total_lines: usize,
    /// How long Git may compare.
    pub time: Duration,
    /// True if lines that differ in white space only are the same.
    pub ignore_space: bool,
}

impl Default for DiffLimits {
    fn default() -> Self {
        Self {
            files: 1000,
            file_bytes: 100 << 10,
            total_bytes: 5 << 20,
            total_lines: usize::MAX,
            time: Duration::from_secs(30),
            ignore_space: false,
        }
    }
}

/// The difference between two commits, as far as it is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diff {
    /// The files, in Git's order.
    pub files: Vec<FileDiff>,
    /// True if there are more files or more text than the limits allow.
    pub overflow: bool,
}

/// How a file differs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileDiff {
    /// The path before; the same as `new_path` unless it was renamed.
    pub old_path: FilePath,
    /// The path after.
    pub new_path: FilePath,
    /// Its mode before, in octal digits; `0` if it was not there.
    pub a_mode: String,
    /// Its mode after; `0` if it is gone.
    pub b_mode: String,
    /// True if the file was not there before.
    pub new_file: bool,
    /// True if the file had another path before.
    pub renamed_file: bool,
    /// True if the file is not there any more.
    pub deleted_file: bool,
    /// Unified text from the first `@@` on, or `Binary files .. differ`. It is empty if only the name or the mode
    /// differs, and if the text is too large. Bytes that are no UTF-8 are replaced.
    pub diff: String,
    /// True if the text is empty because there is too much of it.
    pub too_large: bool,
}

impl Repository {
    /// The difference between two commits or trees. Past the limits something is left out and `overflow` says so; that
    /// is no failure, and neither is the end of the time. Fails if a commit is not there.
    pub fn diff(&self, from: Oid, to: Oid, limits: DiffLimits) -> Result<Diff, GitError> {
        self.diff_of(from, to, &[], limits)
    }

    /// As [`Repository::diff`], of these files only; of all if there are none. A file that was renamed is named by both
    /// of its paths.
    pub fn diff_of(&self, from: Oid, to: Oid, paths: &[LookupPath], limits: DiffLimits) -> Result<Diff, GitError> {
        let stream = self
            .git("diff-tree")
            .args(["-r", "--raw", "--patch", "--full-index", "--no-abbrev", "-M", "-l1000"])
            .args(["--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"])
            .args(if limits.ignore_space { &["-w"][..] } else { &[] })
            .operands([from.to_string(), to.to_string()])
            .paths(paths.iter().map(LookupPath::argument))
            .time(limits.time)
            .budget(Budget::Long)
            .stream()?;
        parse::read(stream, limits)
    }

    /// How many files differ between two commits or trees; counted up to `limit`. Fails if a commit is not there.
    pub fn changed_files(&self, from: Oid, to: Oid, limit: usize) -> Result<usize, GitError> {
        let mut stream = self
            .git("diff-tree")
            .args(["-r", "--name-only", "-z", "-M", "-l1000", "--no-ext-diff"])
            .operands([from.to_string(), to.to_string()])
            .time(DiffLimits::default().time)
            .budget(Budget::Long)
            .stream()?;
        let (mut part, mut count) = ([0_u8; 16 << 10], 0);
        while count < limit {
            let length = stream.read_part(&mut part)?;
            if length == 0 {
                break;
            }
            count += part.iter().take(length).filter(|byte| **byte == 0).count();
        }
        Ok(count.min(limit))
    }

    /// The patch that leads from one commit to another, as `git diff` prints it.
    pub fn patch(&self, from: Oid, to: Oid) -> Result<GitStream, GitError> {
        self.git("diff-tree")
            .args(["-r", "--patch", "--full-index", "-M", "-l1000", "--binary"])
            .args(["--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"])
            .operands([from.to_string(), to.to_string()])
            .download()
    }

    /// The commits after `from` that lead to `to`, merges left out, oldest first: each as a mail that `git am` reads.
    /// If there is no `from`, all of the history of `to`.
    pub fn format_patch(&self, from: Option<Oid>, to: Oid) -> Result<GitStream, GitError> {
        let range = from.map_or_else(|| to.to_string(), |from| format!("{from}..{to}"));
        // Without a range, format-patch takes a commit for the one to start after.
        let root = if from.is_none() { &["--root"][..] } else { &[] };
        self.git("format-patch")
            .args(["--stdout", "--no-signature", "--full-index", "-M", "-l1000", "--binary"])
            .args(["--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"])
            .args(root)
            .operands([range])
            .download()
    }

    /// The changes of a commit against its first parent, or against nothing. `None` if there is no such commit.
    pub fn commit_diff(&self, id: Oid, limits: DiffLimits) -> Result<Option<Diff>, GitError> {
        let Some(commit) = self.commit(id)? else { return Ok(None) };
        let before = commit.parents.first().copied().unwrap_or(Oid::EMPTY_TREE);
        self.diff(before, id, limits).map(Some)
    }
}

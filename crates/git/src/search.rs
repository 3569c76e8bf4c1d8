//! The search for texts and names in the files of a commit.

use std::sync::Arc;
use std::time::Duration;

use tenon_domain::file_path::FilePath;

use crate::command::budget::Budget;
use crate::command::lossy;
use crate::command::stream::Records;
use crate::error::GitError;
use crate::oid::Oid;
use crate::remembered::{Question, Size};
use crate::repository::Repository;
use crate::tree::{Depth, EntryKind};
use crate::tree_path::LookupPath;

const TIME: Duration = Duration::from_secs(15);
/// Of one file; another file is more interesting than the next line.
const LINES: usize = 3;
/// Bytes of the results; the search ends behind them.
const FOUND: usize = 8 << 20;
/// Longer paths than this are cut, as no file system has them.
const PATH: usize = 4096;
/// Bytes of a line that are read. Its first 1,000 characters have no more.
const LINE: usize = 4000;

/// A line that has the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The file.
    pub path: FilePath,
    /// The number of the line, from 1.
    pub line: u64,
    /// The line, at most 1,000 characters of it.
    pub text: String,
}

impl Size for Match {
    fn size(&self) -> usize {
        size_of::<Self>() + self.path.size() + self.text.len()
    }
}

/// Lines of the files of a commit that have a text.
#[derive(Debug, PartialEq, Eq, Hash)]
struct LinesWith {
    commit: Oid,
    text: String,
    limit: usize,
}

impl Question for LinesWith {
    type Answer = Vec<Match>;
}

/// Paths of the files of a commit that have a text in them.
#[derive(Debug, PartialEq, Eq, Hash)]
struct PathsWith {
    commit: Oid,
    text: String,
    limit: usize,
}

impl Question for PathsWith {
    type Answer = Vec<FilePath>;
}

impl Repository {
    /// At most `limit` lines that have `text`, in any letter case, in the text files of `commit`. At most three are of
    /// one file, and all have at most 8 MiB. Long lines are cut. Fails with [`GitError::Timeout`] if there is too much
    /// to read.
    pub fn search_content(&self, commit: Oid, text: &str, limit: usize) -> Result<Vec<Match>, GitError> {
        // A line end would begin another pattern, and an empty text is in every line.
        if text.is_empty() || text.contains(['\n', '\0']) {
            return Ok(Vec::new());
        }
        let question = LinesWith { commit, text: text.to_owned(), limit };
        let found = self.remember(question, || self.find_lines(commit, text, limit))?;
        Ok(Arc::unwrap_or_clone(found))
    }

    fn find_lines(&self, commit: Oid, text: &str, limit: usize) -> Result<Vec<Match>, GitError> {
        let records = self
            .git("grep")
            .args(["-z", "-n", "-I", "--fixed-strings", "--ignore-case", "--full-name", "--no-color"])
            .args([format!("--max-count={LINES}"), "-e".to_owned(), text.to_owned()])
            .arg("--end-of-options")
            .arg(commit.to_string())
            .time(TIME)
            .budget(Budget::Long)
            .stream()?
            .records();
        match matches(records, limit) {
            // Nothing was found.
            Err(GitError::Failed { code: Some(1), .. }) => Ok(Vec::new()),
            found => found,
        }
    }

    /// Paths of files of `commit` that have `text` in them, in any letter case; at most `limit`, and 8 MiB in all.
    pub fn search_paths(&self, commit: Oid, text: &str, limit: usize) -> Result<Vec<FilePath>, GitError> {
        let question = PathsWith { commit, text: text.to_owned(), limit };
        let found = self.remember(question, || self.find_paths(commit, text, limit))?;
        Ok(Arc::unwrap_or_clone(found))
    }

    fn find_paths(&self, commit: Oid, text: &str, limit: usize) -> Result<Vec<FilePath>, GitError> {
        let wanted = text.to_lowercase();
        let mut records = self
            .git("ls-tree")
            .args(["-r", "-z", "--full-tree", "--format=%(objecttype) %(path)"])
            .operands([format!("{commit}^{{tree}}")])
            .time(TIME)
            .budget(Budget::Long)
            .stream()?
            .records();
        let (mut found, mut size) = (Vec::new(), 0);
        while let Some(record) = records.next(0, PATH)? {
            let Some(path) = record.strip_prefix(b"blob ").map(FilePath::from_bytes) else { continue };
            if path.to_string().to_lowercase().contains(&wanted) {
                size += path.size();
                if found.len() >= limit || size > FOUND {
                    break;
                }
                found.push(path);
            }
        }
        Ok(found)
    }

    /// The path of the file that introduces a directory, or the project: `README` in any letter case, with an extension
    /// that can be shown if there are several. `None` if there is none in that directory.
    pub fn readme(&self, commit: Oid, folder: Option<&LookupPath>) -> Result<Option<FilePath>, GitError> {
        let entries = self.tree_entries(commit, folder, Depth::One)?;
        let rank = |name: &str| {
            let name = name.to_lowercase();
            let (stem, extension) = name.split_once('.').unwrap_or((&name, ""));
            let known = ["md", "markdown", "mdown", "rst", "adoc", "asciidoc", "org", "txt", ""];
            (stem == "readme").then(|| known.iter().position(|it| *it == extension).unwrap_or(known.len()))
        };
        let files = entries.iter().flatten().filter(|entry| entry.kind == EntryKind::Blob);
        let ranked = files.filter_map(|entry| Some((rank(entry.kept_name())?, &entry.path)));
        Ok(ranked.min().map(|(_, path)| path.clone()))
    }
}

/// Reads `<commit>:<path>\0<number>\0<line>\n`, again and again.
fn matches(mut records: Records, limit: usize) -> Result<Vec<Match>, GitError> {
    let (mut found, mut size) = (Vec::new(), 0);
    let unexpected = || GitError::Unexpected("grep");
    while found.len() < limit && size <= FOUND {
        let Some(path) = records.next(0, PATH)? else { break };
        let number = records.next(0, PATH)?.ok_or_else(unexpected)?;
        let line = records.next(b'\n', LINE)?.ok_or_else(unexpected)?;
        let path = FilePath::from_bytes(path.get(41..).unwrap_or_default());
        let text: String = lossy(&line).chars().take(1000).collect();
        size += path.size() + text.len();
        found.push(Match { path, line: lossy(&number).parse().map_err(|_error| unexpected())?, text });
    }
    Ok(found)
}

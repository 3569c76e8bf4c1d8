//! Texts and names looked for in the files of a commit (reference, repository-git-webhooks, section 14.1).

use std::time::Duration;

use crate::command::{failure, lossy};
use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::tree::{Depth, EntryKind};

const TIME: Duration = Duration::from_secs(15);
/// Of one file; another file is more interesting than the next line.
const LINES: usize = 3;
const OUTPUT: usize = 8 << 20;

/// A line that has the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The file.
    pub path: String,
    /// The number of the line, from 1.
    pub line: u64,
    /// The line, at most 1,000 characters of it.
    pub text: String,
}

impl Repository {
    /// At most `limit` lines that have `text`, in any letter case, in the text files of `commit`; three at most of one
    /// file. Fails with [`GitError::Timeout`] or [`GitError::TooLarge`] when there is too much to look at.
    pub fn search_content(&self, commit: Oid, text: &str, limit: usize) -> Result<Vec<Match>, GitError> {
        // A line end would begin another pattern, and an empty text is in every line.
        if text.is_empty() || text.contains(['\n', '\0']) {
            return Ok(Vec::new());
        }
        let outcome = self
            .git("grep")
            .args(["-z", "-n", "-I", "--fixed-strings", "--ignore-case", "--full-name", "--no-color"])
            .args([format!("--max-count={LINES}"), "-e".to_owned(), text.to_owned()])
            .arg("--end-of-options")
            .arg(commit.to_string())
            .time(TIME)
            .output(OUTPUT)
            .outcome()?;
        match outcome.code {
            Some(0) => {}
            Some(1) => return Ok(Vec::new()),
            code => return Err(failure("grep", Some(self.path()), code, outcome.log)),
        }
        // `<commit>:<path>\0<number>\0<line>\n`
        let mut matches = Vec::new();
        let mut rest = outcome.stdout.as_slice();
        while matches.len() < limit
            && let Some((path, number, line, after)) = record(rest)
        {
            let path = path.get(41..).unwrap_or_default();
            let line_number = lossy(number).parse().map_err(|_error| GitError::Unexpected("grep"))?;
            matches.push(Match {
                path: lossy(path),
                line: line_number,
                text: lossy(line).chars().take(1000).collect(),
            });
            rest = after;
        }
        Ok(matches)
    }

    /// At most `limit` paths of files of `commit` that have `text` in them, in any letter case.
    pub fn search_paths(&self, commit: Oid, text: &str, limit: usize) -> Result<Vec<String>, GitError> {
        let wanted = text.to_lowercase();
        let entries = self.tree_entries(commit, None, Depth::All)?.unwrap_or_default();
        let files = entries.into_iter().filter(|entry| entry.kind == EntryKind::Blob).map(|entry| entry.path);
        Ok(files.filter(|path| path.to_lowercase().contains(&wanted)).take(limit).collect())
    }

    /// The path of the file that introduces the project: `README` in any letter case, with an extension that can be shown
    /// if there are several. `None` when there is none at the top.
    pub fn readme(&self, commit: Oid) -> Result<Option<String>, GitError> {
        let entries = self.tree_entries(commit, None, Depth::One)?.unwrap_or_default();
        let rank = |name: &str| {
            let name = name.to_lowercase();
            let (stem, extension) = name.split_once('.').unwrap_or((&name, ""));
            let known = ["md", "markdown", "mdown", "rst", "adoc", "asciidoc", "org", "txt", ""];
            (stem == "readme").then(|| known.iter().position(|it| *it == extension).unwrap_or(known.len()))
        };
        let files = entries.iter().filter(|entry| entry.kind == EntryKind::Blob);
        let ranked = files.filter_map(|entry| Some((rank(&entry.path)?, &entry.path)));
        Ok(ranked.min().map(|(_, path)| path.clone()))
    }
}

type Record<'a> = (&'a [u8], &'a [u8], &'a [u8], &'a [u8]);

fn record(bytes: &[u8]) -> Option<Record<'_>> {
    let (path, rest) = cut(bytes, 0)?;
    let (number, rest) = cut(rest, 0)?;
    let (line, rest) = cut(rest, b'\n')?;
    Some((path, number, line, rest))
}

fn cut(bytes: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == at)?;
    Some((bytes.get(..end)?, bytes.get(end + 1..)?))
}

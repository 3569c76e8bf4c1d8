//! The lines of differences at which people talk about them, each with a few lines before it.

use std::collections::HashSet;
use std::time::Duration;

use tenon_domain::file_path::FilePath;

use super::lines::hunk;
use super::{Diff, DiffLimits, FileDiff, parse};
use crate::command::budget::Budget;
use crate::error::GitError;
use crate::oid::Oid;
use crate::remembered::{Question, Size};
use crate::repository::Repository;
use crate::tree_path::LookupPath;

/// Lines before the one in question.
const BEFORE: usize = 3;
/// The longest excerpt, in bytes. A longer one has the line in question only, or the beginning of it.
const LONGEST: usize = 4 << 10;
/// Bytes of one file, and of all, that are read to find lines.
const FILE_BYTES: usize = 512 << 10;
const TOTAL_BYTES: usize = 4 << 20;

/// A line of the difference between two commits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LineOf {
    /// The commit before.
    pub from: Oid,
    /// The commit after.
    pub to: Oid,
    /// The path of the file before.
    pub old_path: FilePath,
    /// The path after.
    pub new_path: FilePath,
    /// Its number before, if it was there.
    pub old: Option<i64>,
    /// Its number after, if it is there.
    pub new: Option<i64>,
}

/// A line with those before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The lines as a hunk of a unified text. The one in question is the last.
    pub text: String,
    /// True if the newer difference has no such line any more.
    pub is_gone: bool,
}

impl Size for Excerpt {
    fn size(&self) -> usize {
        size_of::<Self>() + self.text.len()
    }
}

/// The excerpt at a line, as seen from a newer difference.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ExcerptAt(LineOf, (Oid, Oid));

impl Question for ExcerptAt {
    /// `None` for a line that the difference does not have.
    type Answer = Option<Excerpt>;
}

impl Repository {
    /// The excerpts at these lines, in their order, as seen from the difference `now`. `None` for a line that is not found, or not in
    /// time. One process of Git answers for all that are not remembered. The commits must have been found in this repository.
    pub fn excerpts(
        &self,
        wanted: &[LineOf],
        now: (Oid, Oid),
        time: Duration,
    ) -> Result<Vec<Option<Excerpt>>, GitError> {
        let recall = |line: &LineOf| self.recall(&ExcerptAt(line.clone(), now)).map(|known| (*known).clone());
        let known: Vec<Option<Option<Excerpt>>> = wanted.iter().map(recall).collect();
        let unknown: Vec<&LineOf> =
            wanted.iter().zip(&known).filter(|(_, known)| known.is_none()).map(|(line, _)| line).collect();
        if unknown.is_empty() {
            return Ok(known.into_iter().map(Option::flatten).collect());
        }
        let read = self.differences(&unknown, now, time)?;
        let newest = read.iter().find(|(to, _)| *to == now.1).map(|(_, diff)| diff);
        let mut found = Vec::with_capacity(wanted.len());
        for (line, known) in wanted.iter().zip(known) {
            if let Some(known) = known {
                found.push(known);
                continue;
            }
            let diff = read.iter().find(|(to, _)| *to == line.to).map(|(_, diff)| diff);
            let file = diff.and_then(|diff| file_of(diff, line));
            let Some((text, last)) = file.and_then(|file| around(file, line)) else {
                // Git would say the same again, unless it had no time to come to the line.
                if diff.is_some_and(|diff| !diff.overflow) || file.is_some_and(|file| file.too_large) {
                    self.remember(ExcerptAt(line.clone(), now), || Ok(None))?;
                }
                found.push(None);
                continue;
            };
            // If the newer difference was not read whole, nothing is said about it.
            let has = |diff: &Diff| {
                let file = file_of(diff, line);
                diff.overflow || file.is_some_and(|file| file.too_large || file.diff.lines().any(|one| one == last))
            };
            let is_gone = (line.from, line.to) != now && newest.is_some_and(|diff| !has(diff));
            let made = Excerpt { text, is_gone };
            if newest.is_some() {
                self.remember(ExcerptAt(line.clone(), now), || Ok(Some(made.clone())))?;
            }
            found.push(Some(made));
        }
        Ok(found)
    }

    /// The differences in which these lines are, and the newer one, of the files that they name. Each is below its commit after.
    fn differences(&self, lines: &[&LineOf], now: (Oid, Oid), time: Duration) -> Result<Vec<(Oid, Diff)>, GitError> {
        let mut commits = HashSet::new();
        let pairs = std::iter::once(now).chain(lines.iter().map(|line| (line.from, line.to)));
        let pairs = pairs.filter(|(_, to)| commits.insert(*to));
        let input: String = pairs.map(|(from, to)| format!("{to} {from}\n")).collect();
        let paths: HashSet<&FilePath> = lines.iter().flat_map(|line| [&line.old_path, &line.new_path]).collect();
        let paths: Vec<LookupPath> = paths.into_iter().filter_map(|path| LookupPath::try_from(path).ok()).collect();
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        // Each line of the input has a commit, and the one that stands for its parent.
        let stream = self
            .git("diff-tree")
            .args(["--stdin", "--always", "-r", "--raw", "--patch", "--full-index", "--no-abbrev", "-M", "-l1000"])
            .args(["--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"])
            .paths(paths.iter().map(LookupPath::argument))
            .input(input)
            .time(time)
            .budget(Budget::Long)
            .stream()?;
        let limits = DiffLimits { file_bytes: FILE_BYTES, total_bytes: TOTAL_BYTES, time, ..DiffLimits::default() };
        parse::read_each(stream, limits, &commits)
    }
}

/// The file of a line.
fn file_of<'d>(diff: &'d Diff, line: &LineOf) -> Option<&'d FileDiff> {
    diff.files.iter().find(|file| file.new_path == line.new_path)
}

/// The hunk of a line, and the line with its sign.
fn around(file: &FileDiff, line: &LineOf) -> Option<(String, String)> {
    let (mut old, mut new) = (0, 0);
    // The lines of this hunk, each with the numbers at which it begins on both sides.
    let mut kept: Vec<(i64, i64, &str)> = Vec::new();
    for text in file.diff.lines() {
        if let Some(starts) = text.strip_prefix("@@ ").and_then(hunk) {
            (old, new) = starts;
            kept.clear();
            continue;
        }
        let (in_old, in_new) = match text.as_bytes().first() {
            Some(b'-') => (true, false),
            Some(b'+') => (false, true),
            Some(b' ') => (true, true),
            _ => continue,
        };
        kept.push((old, new, text));
        let is_named = match (line.old, line.new) {
            (_, Some(number)) => in_new && new == number,
            (Some(number), None) => in_old && old == number,
            (None, None) => false,
        };
        if is_named {
            let last = text.to_owned();
            let first = kept.len().saturating_sub(BEFORE + 1);
            let length: usize = kept.iter().skip(first).map(|(_, _, text)| text.len()).sum();
            let first = if length > LONGEST { kept.len() - 1 } else { first };
            let (old, new, _) = kept.get(first)?;
            let rows = kept.iter().skip(first).map(|(_, _, text)| format!("{}\n", beginning(text)));
            return Some((format!("@@ -{old} +{new} @@\n{}", rows.collect::<String>()), last));
        }
        old += i64::from(in_old);
        new += i64::from(in_new);
    }
    None
}

/// The beginning of a line that is too long for an excerpt.
fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LONGEST)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(old: Option<i64>, new: Option<i64>) -> LineOf {
        let path = FilePath::from("a");
        LineOf { from: Oid::EMPTY_TREE, to: Oid::EMPTY_TREE, old_path: path.clone(), new_path: path, old, new }
    }

    #[test]
    fn an_excerpt_has_the_line_and_those_before_it() {
        let diff = "@@ -2,4 +2,5 @@ fn x\n two\n-three\n+drei\n+vier\n four\n five\n@@ -10 +11,2 @@\n ten\n+eleven\n";
        let file = FileDiff { diff: diff.to_owned(), ..FileDiff::default() };
        let at = |old, new| around(&file, &line(old, new)).map(|(text, _)| text).unwrap_or_default();
        assert_eq!(at(None, Some(4)), "@@ -2 +2 @@\n two\n-three\n+drei\n+vier\n");
        assert_eq!(at(Some(5), Some(6)), "@@ -4 +3 @@\n+drei\n+vier\n four\n five\n");
        assert_eq!(at(Some(3), None), "@@ -2 +2 @@\n two\n-three\n");
        // Nothing of another hunk is before it.
        assert_eq!(at(None, Some(12)), "@@ -10 +11 @@\n ten\n+eleven\n");
        assert_eq!((at(None, Some(99)), at(None, None)), (String::new(), String::new()));
    }

    #[test]
    fn a_long_line_is_cut() {
        let diff = format!("@@ -0,0 +1,2 @@\n+short\n+{}\n", "é".repeat(LONGEST));
        let file = FileDiff { diff, ..FileDiff::default() };
        let (text, last) = around(&file, &line(None, Some(2))).unwrap();
        assert!(text.starts_with("@@ -0 +2 @@\n+é") && text.len() < LONGEST + 20, "{}", text.len());
        assert_eq!(last.len(), 2 * LONGEST + 1);
    }
}

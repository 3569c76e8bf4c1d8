//! Which files commits have changed, by name.

use std::collections::HashMap;

use tenon_domain::file_path::FilePath;

use super::DiffLimits;
use crate::command::budget::Budget;
use crate::command::lossy;
use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;

/// The most bytes of names that are read.
const OUTPUT: usize = 1 << 20;

/// The files that a commit has changed against its parent. A file that was moved is an added one, under its new name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedPaths {
    /// Those that are new.
    pub added: Vec<String>,
    /// Those that were there before.
    pub modified: Vec<String>,
    /// Those that are gone.
    pub removed: Vec<String>,
}

impl Repository {
    /// The changes of each of these commits; none are given for merges. Names that are no UTF-8 are replaced. Fails
    /// with [`GitError::TooLarge`] if the names are too long together.
    pub fn changed_paths(&self, commits: &[Oid]) -> Result<HashMap<Oid, ChangedPaths>, GitError> {
        let input: String = commits.iter().map(|id| format!("{id}\n")).collect();
        let output = self
            .git("diff-tree")
            .args(["--stdin", "-r", "-z", "--root", "--name-status", "-M", "-l1000", "--no-ext-diff"])
            .input(input)
            .time(DiffLimits::default().time)
            .budget(Budget::Long)
            .output(OUTPUT)
            .bytes()?;
        Ok(parse(&output))
    }
}

/// The most bytes of a path: a push brings no longer ones.
const PATH: usize = 4 << 10;

impl Repository {
    /// The paths that differ between two commits or trees; a file that was moved is named by both of its paths. `None` if
    /// there are more than `limit`. Fails if a commit is not there.
    pub fn differing_paths(&self, from: Oid, to: Oid, limit: usize) -> Result<Option<Vec<FilePath>>, GitError> {
        let mut records = self
            .git("diff-tree")
            .args(["-r", "--name-only", "-z", "--no-renames", "--no-ext-diff"])
            .operands([from.to_string(), to.to_string()])
            .time(DiffLimits::default().time)
            .budget(Budget::Long)
            .stream()?
            .records();
        let mut paths = Vec::new();
        while let Some(path) = records.next(0, PATH)? {
            if paths.len() == limit {
                return Ok(None);
            }
            paths.push(FilePath::from_bytes(&path));
        }
        Ok(Some(paths))
    }
}

/// Reads fields that are ended by a NUL: the name of a commit, then a letter and a path for each file; two paths for
/// one that was moved or copied.
fn parse(output: &[u8]) -> HashMap<Oid, ChangedPaths> {
    let mut found = HashMap::new();
    let mut current: Option<(Oid, ChangedPaths)> = None;
    let mut fields = output.split(|byte| *byte == 0).map(lossy);
    while let Some(field) = fields.next() {
        if let Ok(id) = field.parse::<Oid>() {
            found.extend(current.replace((id, ChangedPaths::default())));
            continue;
        }
        let Some((_, changed)) = &mut current else { continue };
        let is_pair = field.starts_with(['R', 'C']);
        let Some(first) = fields.next() else { break };
        let path = if is_pair { fields.next().unwrap_or_default() } else { first };
        match field.chars().next() {
            Some('A' | 'R' | 'C') => changed.added.push(path),
            Some('D') => changed.removed.push(path),
            Some(_) => changed.modified.push(path),
            None => {}
        }
    }
    found.extend(current);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_moved_is_an_added_one() {
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        let output = format!("{one}\0M\0b\0R100\0a\0c\0D\0x\0{two}\0A\0a b\0");
        let found = parse(output.as_bytes());
        let of = |id: &str| found.get(&id.parse().unwrap()).cloned().unwrap();
        let names = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        let moved = ChangedPaths { added: names(&["c"]), modified: names(&["b"]), removed: names(&["x"]) };
        assert_eq!(of(&one), moved);
        assert_eq!(of(&two), ChangedPaths { added: names(&["a b"]), ..ChangedPaths::default() });
    }
}

//! The file in which a project says under which licence it is.

use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::tree::{Depth, EntryKind};

/// How much of the file is read: the longest common licence has 35 KiB.
const LARGEST: u64 = 256 << 10;

/// The file, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LicenseFile {
    /// The path of the file.
    pub path: String,
    /// Its text; empty if it is larger than any licence.
    pub text: String,
}

impl Repository {
    /// The licence at the top of `commit`: of several files the one with the plainest name. `None` if there is none.
    pub fn license(&self, commit: Oid) -> Result<Option<LicenseFile>, GitError> {
        let entries = self.tree_entries(commit, None, Depth::One)?;
        let files = entries.iter().flatten().filter(|entry| entry.kind == EntryKind::Blob);
        let best = files
            .filter_map(|entry| Some((rank(entry.path.as_kept())?, entry)))
            .min_by(|(one, a), (other, b)| (one, &a.path).cmp(&(other, &b.path)));
        let Some((_, entry)) = best else { return Ok(None) };
        let blob = self.blob(entry.id, LARGEST)?.and_then(|blob| blob.content).unwrap_or_default();
        let text = String::from_utf8_lossy(&blob).into_owned();
        Ok(Some(LicenseFile { path: entry.path.to_string(), text }))
    }
}

/// How plainly a name says that the file is a licence, the smallest first; `None` for names that do not.
fn rank(name: &str) -> Option<usize> {
    let name = name.to_lowercase();
    let (stem, extension) = name.split_once('.').unwrap_or((&name, ""));
    if !matches!(extension, "" | "md" | "markdown" | "txt" | "rst" | "adoc") {
        return None;
    }
    let plain = ["license", "licence", "copying", "unlicense"];
    let exact = plain.iter().position(|word| stem == *word);
    let longer = || plain.iter().any(|word| stem.strip_prefix(word).is_some_and(|rest| rest.starts_with(['-', '_'])));
    exact.or_else(|| longer().then_some(plain.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plainest_name_comes_first() {
        let names = ["LICENSE", "Licence.md", "COPYING", "UNLICENSE", "LICENSE-MIT"];
        assert_eq!(names.map(rank), [Some(0), Some(1), Some(2), Some(3), Some(4)]);
        assert_eq!(["license.rs", "licenses", "README", "my-license"].map(rank), [None; 4]);
    }
}

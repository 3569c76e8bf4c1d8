//! The paths that the commits of a push change.

use std::collections::HashSet;

use super::Quarantine;
use crate::command::Command;
use crate::error::GitError;
use crate::oid::Oid;

/// The longest record of the list.
const LINE: usize = 8192;

impl Quarantine {
    /// One of `paths` that a commit of the push changes, if there is one. A merge changes what differs from all of its parents.
    pub fn changed_among(&self, tips: &[Oid], paths: &HashSet<&str>) -> Result<Option<String>, GitError> {
        let log = self
            .git("log")
            .args(["-c", "-z", "--name-only", "--no-renames", "--format=", "--no-ext-diff", "--no-show-signature"])
            .arg("--stdin")
            .input(self.selection(tips));
        first_among(log, paths)
    }

    /// One of `paths` in which two commits differ, if there is one.
    pub fn differs_among(&self, old: Oid, new: Oid, paths: &HashSet<&str>) -> Result<Option<String>, GitError> {
        let tree = self
            .git("diff-tree")
            .args(["-r", "-z", "--name-only", "--no-renames", "--no-ext-diff"])
            .args([old.to_string(), new.to_string()]);
        first_among(tree, paths)
    }
}

/// The first of `paths` that a command lists.
fn first_among(command: Command, paths: &HashSet<&str>) -> Result<Option<String>, GitError> {
    let mut records = command.stream()?.records();
    while let Some(record) = records.next(b'\0', LINE)? {
        // The list of each commit begins with an empty line.
        let path = std::str::from_utf8(&record).unwrap_or_default().trim_start_matches('\n');
        if paths.contains(path) {
            return Ok(Some(path.to_owned()));
        }
    }
    Ok(None)
}

//! Discussions about lines that a push has changed.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use tenon_domain::merge_request::{DiffRefs, Version};
use tenon_domain::note::DiffPosition;
use tenon_git::diff::{Diff, DiffLimits, Fate, FileDiff};
use tenon_storage::note::OpenDiscussion;

use super::mergeability::{MergeRepositories, oid};
use crate::core::error::AppError;

/// So many notes of open discussions are inspected after a push, the oldest first.
pub(super) const MAX_NOTES: i64 = 500;
/// Discussions about older versions than the newest ones of this number stay open.
pub(super) const MAX_VERSIONS: i64 = 5;

impl MergeRepositories {
    /// Those of the discussions whose lines are not what they were in the version that they are about. A position may name any
    /// commit: those that are in none of `versions` are left alone. Asks Git for three differences for each version at most.
    pub(super) fn outdated(
        &self,
        open: Vec<(OpenDiscussion, DiffPosition)>,
        versions: &[Version],
        now: &DiffRefs,
    ) -> Result<Vec<OpenDiscussion>, AppError> {
        let mut differences = Differences { repositories: self, known: HashMap::new() };
        let mut outdated = Vec::new();
        for (discussion, position) in open {
            let is_known = |version: &Version| version.diff.head == position.head && version.diff.base == position.base;
            if versions.iter().any(is_known) && differences.is_outdated(&position, now)? {
                outdated.push(discussion);
            }
        }
        Ok(outdated)
    }
}

/// Differences between commits, each of which Git is asked for once.
struct Differences<'a> {
    repositories: &'a MergeRepositories,
    known: HashMap<(String, String), Diff>,
}

impl Differences<'_> {
    /// Whether a line is gone. Not where Git shows too little to say so.
    fn is_outdated(&mut self, position: &DiffPosition, now: &DiffRefs) -> Result<bool, AppError> {
        if let Some(line) = position.new_line {
            return Ok(self.fate(&position.head, &now.head, &position.new_path, line)? == Some(Fate::Gone));
        }
        let Some(line) = position.old_line else { return Ok(false) };
        // A line that the source has removed: it is gone where the target changed it, or where the source has it again.
        match self.fate(&position.base, &now.base, &position.old_path, line)? {
            Some(Fate::Kept(line)) => {
                let fate = self.fate(&now.base, &now.head, &position.old_path, line)?;
                Ok(matches!(fate, Some(Fate::Kept(_))))
            }
            Some(Fate::Gone) => Ok(true),
            None => Ok(false),
        }
    }

    /// What became of a line of a file from one commit to another; `None` where that is not known.
    fn fate(&mut self, from: &str, to: &str, path: &str, line: i64) -> Result<Option<Fate>, AppError> {
        let diff = self.between(from, to)?;
        Ok(match diff.files.iter().find(|file| file.old_path == path && !file.new_file) {
            Some(file) if file.deleted_file => Some(Fate::Gone),
            Some(file) => has_lines(file).then(|| file.fate(line)),
            None if diff.overflow => None,
            None => Some(Fate::Kept(line)),
        })
    }

    fn between(&mut self, from: &str, to: &str) -> Result<&Diff, AppError> {
        match self.known.entry((from.to_owned(), to.to_owned())) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(new) if from == to => Ok(new.insert(Diff::default())),
            Entry::Vacant(new) => {
                Ok(new.insert(self.repositories.target.diff(oid(from)?, oid(to)?, DiffLimits::default())?))
            }
        }
    }
}

/// Whether the lines of a file are shown. A file that was only renamed has none that differ.
fn has_lines(file: &FileDiff) -> bool {
    !file.too_large && (file.diff.is_empty() || file.lines().next().is_some())
}

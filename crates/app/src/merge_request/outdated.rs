//! Discussions about lines that a push has changed.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::time::Duration;

use tenon_domain::merge_request::{DiffRefs, Version};
use tenon_domain::note::DiffPosition;
use tenon_git::GitError;
use tenon_git::diff::{Diff, DiffLimits, Fate, FileDiff};
use tenon_storage::note::OpenDiscussion;

use super::mergeability::{MergeRepositories, oid};
use crate::core::error::AppError;

/// So many notes of open discussions are inspected after a push, the newest ones.
pub(super) const MAX_NOTES: i64 = 500;
/// So many versions are known by their commits, the newest ones.
pub(super) const KNOWN_VERSIONS: i64 = 100;
/// Of so many versions the discussions are inspected: those with the newest notes.
const MAX_VERSIONS: usize = 5;
/// When a merge request has taken so long, Git is asked for no more differences, and what would need them stays open.
const LONGEST: Duration = Duration::from_secs(30);

impl MergeRepositories {
    /// Those of the discussions whose lines were as in the version that they are about until now, and are so no longer.
    /// `versions` are the newest ones, that before the push first. A position may name any commit: those that are in
    /// none of `versions` are left alone. Asks Git for six differences for each version at most. What Git cannot say
    /// leaves discussions open. Fails if the caller no longer waits.
    pub(super) fn outdated(
        &self,
        open: Vec<(OpenDiscussion, DiffPosition)>,
        versions: &[Version],
        now: &DiffRefs,
    ) -> Result<Vec<OpenDiscussion>, AppError> {
        let Some(before) = versions.first().map(|version| &version.diff) else { return Ok(Vec::new()) };
        let end = self.app.parts().clock.elapsed() + LONGEST;
        let mut outdated = Vec::new();
        for about_one in by_version(open, versions) {
            let mut differences = Differences { repositories: self, end, known: HashMap::new() };
            for (discussion, position) in about_one {
                // Who has opened it again after an earlier push wants it open.
                if differences.is_outdated(&position, now)? == Some(true)
                    && differences.is_outdated(&position, before)? == Some(false)
                {
                    outdated.push(discussion);
                }
            }
        }
        Ok(outdated)
    }
}

/// Those about each of the first [`MAX_VERSIONS`] versions that they name.
fn by_version(
    open: Vec<(OpenDiscussion, DiffPosition)>,
    versions: &[Version],
) -> Vec<Vec<(OpenDiscussion, DiffPosition)>> {
    let mut found: Vec<(&Version, Vec<_>)> = Vec::new();
    for (discussion, position) in open {
        let is_about = |version: &&Version| version.diff.head == position.head && version.diff.base == position.base;
        let Some(version) = versions.iter().find(is_about) else { continue };
        let is_full = found.len() == MAX_VERSIONS;
        match found.iter_mut().find(|(known, _)| known.id == version.id) {
            Some((_, about)) => about.push((discussion, position)),
            None if is_full => {}
            None => found.push((version, vec![(discussion, position)])),
        }
    }
    found.into_iter().map(|(_, about)| about).collect()
}

/// Differences between commits, each of which Git is asked for once.
struct Differences<'a> {
    repositories: &'a MergeRepositories,
    /// When Git is asked no more, by the clock of the application.
    end: Duration,
    /// `None` if Git has failed, or was not asked any more.
    known: HashMap<(String, String), Option<Diff>>,
}

/// The new place of a line, or that it is gone.
enum Place {
    At(String, i64),
    Nowhere,
}

impl Differences<'_> {
    /// True if a line is gone; `None` if Git shows too little to say so.
    fn is_outdated(&mut self, position: &DiffPosition, now: &DiffRefs) -> Result<Option<bool>, AppError> {
        if let Some(line) = position.new_line {
            let place = self.place(&position.head, &now.head, &position.new_path, line)?;
            return Ok(place.map(|place| matches!(place, Place::Nowhere)));
        }
        let Some(line) = position.old_line else { return Ok(None) };
        // A line that the source has removed: it is gone if the target changed it, or if the source has it again.
        Ok(match self.place(&position.base, &now.base, &position.old_path, line)? {
            Some(Place::At(path, line)) => {
                self.place(&now.base, &now.head, &path, line)?.map(|place| matches!(place, Place::At(..)))
            }
            Some(Place::Nowhere) => Some(true),
            None => None,
        })
    }

    /// The place of the line of a file in another commit; `None` if that is not known.
    fn place(&mut self, from: &str, to: &str, path: &str, line: i64) -> Result<Option<Place>, AppError> {
        let Some(diff) = self.between(from, to)? else { return Ok(None) };
        let changed = diff.files.iter().find(|file| !file.new_file && file.old_path.is_meant_by(path));
        Ok(match changed {
            // Of so many files Git may not find those that were renamed.
            Some(file) if file.deleted_file => (!diff.overflow).then_some(Place::Nowhere),
            Some(file) if has_lines(file) => Some(match file.fate(line) {
                Fate::Kept(line) => Place::At(file.new_path.to_stored(), line),
                Fate::Gone => Place::Nowhere,
            }),
            Some(_) => None,
            None => (!diff.overflow).then(|| Place::At(path.to_owned(), line)),
        })
    }

    fn between(&mut self, from: &str, to: &str) -> Result<Option<&Diff>, AppError> {
        let diff = match self.known.entry((from.to_owned(), to.to_owned())) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) if from == to => new.insert(Some(Diff::default())),
            Entry::Vacant(new) if self.repositories.app.parts().clock.elapsed() > self.end => new.insert(None),
            Entry::Vacant(new) => {
                let target = &self.repositories.target;
                new.insert(match target.diff(oid(from)?, oid(to)?, DiffLimits::default()) {
                    Ok(diff) => Some(diff),
                    Err(error @ GitError::Cancelled(_)) => return Err(error.into()),
                    Err(error) => {
                        // Whatever becomes of discussions, the push is recorded.
                        tracing::warn!(%from, %to, %error, "no difference: discussions about it stay open");
                        None
                    }
                })
            }
        };
        Ok(diff.as_ref())
    }
}

/// True if the lines of a file are shown. A file that was only renamed has none that differ.
fn has_lines(file: &FileDiff) -> bool {
    !file.too_large && (file.diff.is_empty() || file.lines().next().is_some())
}

//! Where the lines of suggestions are after a push.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use tenon_domain::file_path::FilePath;
use tenon_domain::id::{IssuableId, NoteId, SuggestionId};
use tenon_domain::merge_request::DiffRefs;
use tenon_domain::suggestion::Suggestion;
use tenon_git::diff::{Diff, DiffLimits, Fate};
use tenon_git::{LookupPath, Oid};
use tenon_storage::note;

use super::mergeability::{MergeRepositories, oid};
use crate::core::app::App;
use crate::core::error::AppError;

/// How much of the difference of a file is read to find where its lines are now, in bytes.
const MAX_DIFF: usize = 4 << 20;
/// So many suggestions are inspected after a push, the newest ones. What becomes of the others is found when they are applied.
const MOST_INSPECTED: i64 = 100;

impl App {
    /// The suggestions that are outdated since the head of the branch is that of `now`, or are not any more. What Git cannot say
    /// leaves them as they are: the push is recorded in any case.
    pub(super) fn changed_suggestions(
        &self,
        repositories: &MergeRepositories,
        of: IssuableId,
        now: &DiffRefs,
    ) -> Vec<(SuggestionId, bool)> {
        let find = || -> Result<Vec<(SuggestionId, bool)>, AppError> {
            let (open, notes) = self.parts().database.read(|tx| -> Result<_, AppError> {
                let open = note::open_suggestions(tx, of, MOST_INSPECTED)?;
                let notes: Vec<NoteId> = open.iter().map(|one| one.note).collect();
                Ok((open, note::by_ids(tx, &notes)?))
            })?;
            let placed = open.into_iter().filter_map(|one| {
                let position = notes.get(&one.note)?.position.as_ref()?;
                Some((one, position.head.clone(), position.new_path.clone()))
            });
            repositories.changed_suggestions(placed.collect(), oid(&now.head)?)
        };
        find().unwrap_or_else(|error| {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(merge_request = %of, error, "whether suggestions are outdated is not known");
            Vec::new()
        })
    }
}

/// The new number of the first of these lines of the one file that may differ. None if they were changed, or if too much was.
fn fate(diff: &Diff, (first, last): (i64, i64)) -> Option<i64> {
    match diff.files.first() {
        _ if diff.overflow => None,
        None => Some(first),
        Some(file) if file.new_file || file.deleted_file || file.too_large => None,
        Some(file) => match file.fate_of(first, last) {
            Fate::Kept(line) => Some(line),
            Fate::Gone => None,
        },
    }
}

impl MergeRepositories {
    /// The number that the first of these lines of a file has at `to`. None if they were changed, or if too much was.
    pub(super) fn traced(
        &self,
        from: Oid,
        to: Oid,
        path: &LookupPath,
        (first, last): (i64, i64),
    ) -> Result<Option<i64>, AppError> {
        if from == to {
            return Ok(Some(first));
        }
        Ok(fate(&self.difference_of(from, to, path)?, (first, last)))
    }

    fn difference_of(&self, from: Oid, to: Oid, path: &LookupPath) -> Result<Diff, AppError> {
        let limits = DiffLimits { file_bytes: MAX_DIFF, total_bytes: MAX_DIFF, ..DiffLimits::default() };
        Ok(self.target.diff_of(from, to, std::slice::from_ref(path), limits)?)
    }

    /// Those of these suggestions whose lines are not as they were any more, or are again, at the head of the branch.
    pub(super) fn changed_suggestions(
        &self,
        suggestions: Vec<(Suggestion, String, String)>,
        now: Oid,
    ) -> Result<Vec<(SuggestionId, bool)>, AppError> {
        let mut changed = Vec::new();
        let mut known: HashMap<(String, String), Diff> = HashMap::new();
        for (one, head, path) in suggestions {
            let Some(path) = LookupPath::parse(FilePath::from_stored(&path).as_kept()) else { continue };
            let diff = match known.entry((head.clone(), path.as_kept().to_owned())) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let path = self.target.exact_path(now, path)?;
                    new.insert(self.difference_of(oid(&head)?, now, &path)?)
                }
            };
            let outdated = fate(diff, (one.proposal.from_line, one.proposal.to_line)).is_none();
            if outdated != one.outdated {
                changed.push((one.id, outdated));
            }
        }
        Ok(changed)
    }
}

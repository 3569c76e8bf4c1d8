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

/// Finds lines of earlier commits at a newer one, by one difference for each file of a commit.
pub(super) struct Tracer<'r> {
    repositories: &'r MergeRepositories,
    to: Oid,
    known: HashMap<(Oid, String), Diff>,
}

impl<'r> Tracer<'r> {
    /// A tracer to the commit `to`.
    pub(super) fn new(repositories: &'r MergeRepositories, to: Oid) -> Self {
        Self { repositories, to, known: HashMap::new() }
    }

    /// The number that the first of these lines of a file of `from` has now. None if they were changed, or if too much was.
    pub(super) fn traced(
        &mut self,
        from: Oid,
        path: &LookupPath,
        (first, last): (i64, i64),
    ) -> Result<Option<i64>, AppError> {
        if from == self.to {
            return Ok(Some(first));
        }
        let diff = match self.known.entry((from, path.as_kept().to_owned())) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let target = &self.repositories.target;
                let path = target.exact_path(self.to, path.clone())?;
                let limits = DiffLimits { file_bytes: MAX_DIFF, total_bytes: MAX_DIFF, ..DiffLimits::default() };
                new.insert(target.diff_of(from, self.to, std::slice::from_ref(&path), limits)?)
            }
        };
        Ok(fate(diff, (first, last)))
    }
}

impl MergeRepositories {
    /// Those of these suggestions whose lines are not as they were any more, or are again, at the head of the branch.
    pub(super) fn changed_suggestions(
        &self,
        suggestions: Vec<(Suggestion, String, String)>,
        now: Oid,
    ) -> Result<Vec<(SuggestionId, bool)>, AppError> {
        let mut changed = Vec::new();
        let mut tracer = Tracer::new(self, now);
        for (one, head, path) in suggestions {
            let Some(path) = LookupPath::parse(FilePath::from_stored(&path).as_kept()) else { continue };
            let lines = (one.proposal.from_line, one.proposal.to_line);
            let outdated = tracer.traced(oid(&head)?, &path, lines)?.is_none();
            if outdated != one.outdated {
                changed.push((one.id, outdated));
            }
        }
        Ok(changed)
    }
}

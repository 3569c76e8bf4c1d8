//! Open discussions of a merge request that are to go on in an issue.

use std::collections::HashMap;

use tenon_domain::id::NoteId;
use tenon_domain::issuable::{Issuable, IssuableAction, IssuableKind};
use tenon_domain::note::{Note, Resolution};
use tenon_domain::refusal::NoteRefusal;
use tenon_storage::ReadTx;
use tenon_storage::note::{self, OpenDiscussion};

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::issuable::{AuthorizedIssuable, IssuableReference};
use crate::shared::issuable::notes::readable;
use crate::shared::issuable::system_notes;

/// So many notes are in memory at a time: each may be as long as a text gets.
const AT_A_TIME: usize = 50;

/// Open discussions of a merge request that the caller may resolve.
pub(crate) struct OpenDiscussions {
    pub(crate) found: AuthorizedIssuable,
    discussions: Vec<OpenDiscussion>,
}

impl OpenDiscussions {
    /// All open discussions, or the one of that id, if it is open.
    pub(crate) fn find(query: &mut Query<'_>, of: &IssuableReference, id: Option<&str>) -> Result<Self, AppError> {
        let (found, filter) = readable(query, of, IssuableAction::Read)?;
        if let Some(id) = id {
            let notes = note::discussion(&mut query.tx, &filter, id)?;
            if notes.is_empty() {
                return Err(AppError::NotFound(Missing::Discussion));
            }
            check(&found, &notes)?;
        } else if !found.may(IssuableAction::Resolve) {
            return Err(AppError::Forbidden);
        }
        let mut discussions = note::open_discussions(&mut query.tx, &filter)?;
        discussions.retain(|one| id.is_none_or(|id| one.id == id));
        Ok(Self { found, discussions })
    }

    /// How many they are.
    pub(crate) const fn len(&self) -> usize {
        self.discussions.len()
    }

    /// The first open note of each, in order and some at a time.
    pub(crate) fn firsts(&self) -> impl Iterator<Item = Firsts> {
        self.discussions.chunks(AT_A_TIME).map(|some| Firsts(some.iter().map(|one| one.first).collect()))
    }

    /// Resolves them, with a system note in each that `issue` continues it.
    pub(crate) fn continue_in(self, command: &mut Command<'_>, issue: &Issuable) -> Result<(), AppError> {
        let author = command.user()?.id;
        let resolution = Resolution { by: Some(author), at: command.now };
        let merge_request = self.found.issuable.id;
        let resolved = note::resolve_discussions(&mut command.tx, merge_request, &self.discussions, resolution)?;
        for some in self.firsts() {
            for first in some.load(&mut command.tx)? {
                let body = format!("created {} to continue this discussion", issue.short_reference());
                system_notes::add(command, first, author, body, Some(issue.id))?;
            }
        }
        note_if_all_resolved(command, &self.found, resolved > 0)
    }
}

/// Some notes that are still to be loaded.
pub(crate) struct Firsts(Vec<NoteId>);

impl Firsts {
    /// The notes, in order.
    pub(crate) fn load(&self, tx: &mut ReadTx<'_>) -> Result<Vec<Note>, AppError> {
        let mut found: HashMap<NoteId, Note> = note::by_ids(tx, &self.0)?;
        Ok(self.0.iter().filter_map(|id| found.remove(id)).collect())
    }
}

/// Refuses if the caller may not resolve these notes, or none of them can be resolved.
pub(crate) fn check(found: &AuthorizedIssuable, notes: &[Note]) -> Result<(), AppError> {
    if !found.may(IssuableAction::Resolve) {
        return Err(AppError::Forbidden);
    }
    if notes.iter().any(|note| is_resolvable(found, note)) {
        return Ok(());
    }
    Err(NoteRefusal::NotResolvable.into())
}

/// True if a note can be resolved.
pub(crate) fn is_resolvable(found: &AuthorizedIssuable, note: &Note) -> bool {
    found.issuable.kind == IssuableKind::MergeRequest && note.kind.is_resolvable() && !note.system
}

/// Writes a system note if the last open discussion was resolved.
pub(crate) fn note_if_all_resolved(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    resolved: bool,
) -> Result<(), AppError> {
    if !resolved || note::has_open_discussions(&mut command.tx, found.issuable.id)? {
        return Ok(());
    }
    let author = command.user()?.id;
    system_notes::write(command, found.issuable.id, author, "resolved all discussions".to_owned(), None)
}

//! Changes of lines that comments propose, as answers show them.

use std::collections::HashMap;

use tenon_domain::id::NoteId;
use tenon_domain::issuable::{Issuable, IssuableKind, State};
use tenon_domain::note::Note;
use tenon_domain::suggestion::Suggestion;
use tenon_storage::{merge_request, note};

use crate::core::app::Query;
use crate::core::error::AppError;

/// A suggestion as answers show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestionView {
    /// The suggestion.
    pub suggestion: Suggestion,
    /// True if nothing about the merge request or the lines prevents that it is applied.
    pub is_appliable: bool,
}

/// The suggestions of these notes of one merge request, in their order.
pub(crate) fn views(
    query: &mut Query<'_>,
    of: &Issuable,
    notes: &[Note],
) -> Result<HashMap<NoteId, Vec<SuggestionView>>, AppError> {
    let on_lines = notes.iter().filter(|note| note.position.is_some()).map(|note| note.id);
    let on_lines: Vec<NoteId> = on_lines.collect();
    if of.kind != IssuableKind::MergeRequest || on_lines.is_empty() {
        return Ok(HashMap::new());
    }
    let found = note::suggestions_of(&mut query.tx, &on_lines)?;
    if found.is_empty() {
        return Ok(HashMap::new());
    }
    let request = merge_request::find(&mut query.tx, of.id)?;
    let may = of.state == State::Opened && request.is_some_and(|request| request.source_project.is_some());
    let view = |suggestion: Suggestion| {
        let is_appliable = may && suggestion.changes_something();
        SuggestionView { suggestion, is_appliable }
    };
    Ok(found.into_iter().map(|(note, found)| (note, found.into_iter().map(view).collect())).collect())
}

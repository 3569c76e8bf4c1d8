//! Notes with what answers show of them.

use tenon_auth::digest;
use tenon_domain::id::{Iid, NoteId};
use tenon_domain::issuable::IssuableAction;
use tenon_domain::issuable::{Issuable, IssuableKind};
use tenon_domain::note::Note;
use tenon_domain::page::{Page, PageRequest};
use tenon_storage::note::{self, NoteFilter, NoteOrder};

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::issuable::{IssuableReference, reference_of};
use crate::policy::reference::Reference;
use crate::shared::issuable::notes::{find, readable};
use crate::shared::issuable::suggestions::{self, SuggestionView};
use crate::shared::views::user_ref::UserRef;

/// A note as answers show it.
#[derive(Debug, Clone)]
pub struct NoteView {
    /// The note.
    pub note: Note,
    /// Who said it.
    pub author: Option<UserRef>,
    /// Who has resolved it.
    pub resolved_by: Option<UserRef>,
    /// The kind of its target.
    pub noteable_kind: IssuableKind,
    /// The number of that.
    pub noteable_iid: Iid,
    /// True if only some may read that.
    pub confidential: bool,
    /// The project of that.
    pub project: tenon_domain::id::ProjectId,
    /// The changes of lines that it proposes.
    pub suggestions: Vec<SuggestionView>,
}

impl NoteView {
    /// The version of its text, for a change that another one must not have come before: [`edit_seen`](super::edit_seen).
    #[must_use]
    pub fn text_version(&self) -> String {
        digest(&self.note.body)
    }
}

/// A request for notes.
#[derive(Debug, Clone, Default)]
pub struct ListNotes {
    /// Only notes of the server, or only those of people.
    pub system: Option<bool>,
    /// The order of the list.
    pub order_by: NoteOrder,
    /// Falling instead of rising.
    pub descending: bool,
    /// Which page.
    pub page: PageRequest,
}

/// The notes of an issue that the caller may see.
pub fn list(query: &mut Query<'_>, of: &IssuableReference, request: &ListNotes) -> Result<Page<NoteView>, AppError> {
    let (found, filter) = readable(query, of, IssuableAction::Read)?;
    let filter = NoteFilter { system: request.system, ..filter };
    let notes = note::list(&mut query.tx, &filter, request.order_by, request.descending, request.page)?;
    Ok(Page { items: views(query, &found.issuable, notes.items)?, total: notes.total, request: notes.request })
}

/// One note.
pub fn show(query: &mut Query<'_>, of: &IssuableReference, id: NoteId) -> Result<NoteView, AppError> {
    let (found, filter) = readable(query, of, IssuableAction::Read)?;
    let note = find(query, &filter, id)?;
    one(query, &found.issuable, note)
}

/// The target of a note of this project. A note that the caller may not see is missing, as is one of another project.
pub fn target(query: &mut Query<'_>, project: &Reference, id: NoteId) -> Result<IssuableReference, AppError> {
    let missing = || AppError::NotFound(Missing::Record);
    let note = note::by_ids(&mut query.tx, &[id])?.remove(&id).ok_or_else(missing)?;
    let of = reference_of(query, project, note.issuable)?;
    let (_, filter) = readable(query, &of, IssuableAction::Read)?;
    find(query, &filter, id)?;
    Ok(of)
}

pub(super) fn one(query: &mut Query<'_>, issue: &Issuable, note: Note) -> Result<NoteView, AppError> {
    views(query, issue, vec![note])?.pop().ok_or(AppError::NotFound(Missing::Record))
}

/// The views of notes of one issue, in their order.
pub(crate) fn views(query: &mut Query<'_>, issue: &Issuable, notes: Vec<Note>) -> Result<Vec<NoteView>, AppError> {
    let people = UserRef::of(
        query,
        notes.iter().flat_map(|note| note.resolved.and_then(|by| by.by).into_iter().chain([note.author])).collect(),
    )?;
    let mut suggestions = suggestions::views(query, issue, &notes)?;
    Ok(notes
        .into_iter()
        .map(|note| NoteView {
            suggestions: suggestions.remove(&note.id).unwrap_or_default(),
            author: people.get(&note.author).cloned(),
            resolved_by: note.resolved.and_then(|resolved| people.get(&resolved.by?).cloned()),
            noteable_kind: issue.kind,
            noteable_iid: issue.iid,
            confidential: issue.confidential,
            project: issue.project,
            note,
        })
        .collect())
}

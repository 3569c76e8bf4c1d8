//! Which notes of an issue or merge request a caller may see.

use tenon_domain::id::NoteId;
use tenon_domain::issuable::IssuableAction;
use tenon_domain::note::Note;
use tenon_storage::note::{self, Nameable, NoteFilter};
use tenon_storage::project;
use tenon_storage::repository::projects_named;

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::issuable::{AuthorizedIssuable, IssuableReference};
use crate::shared::issuable::view::visible;

/// The issue, if the caller may do `action` with it, and which of its notes they may see: those that name something
/// hidden are left out.
pub(crate) fn readable(
    query: &mut Query<'_>,
    of: &IssuableReference,
    action: IssuableAction,
) -> Result<(AuthorizedIssuable, NoteFilter), AppError> {
    let found = query.issuable(of, action)?;
    let named = note::referred_to(&mut query.tx, found.issuable.id)?;
    let mut may_name: Vec<Nameable> = visible(query, &named)?.into_iter().map(Nameable::Issuable).collect();
    let projects = projects_named(&mut query.tx, found.issuable.id)?;
    if !projects.is_empty() {
        let (viewer, today) = (query.viewer(), query.today());
        let readable = project::readable_code(&mut query.tx, viewer, &projects, today)?;
        may_name.extend(readable.into_iter().map(Nameable::CommitsOf));
    }
    let filter = NoteFilter { issuable: found.issuable.id, may_name, system: None };
    Ok((found, filter))
}

/// The note of that id, if it is one of those that the caller may see.
pub(crate) fn find(query: &mut Query<'_>, filter: &NoteFilter, id: NoteId) -> Result<Note, AppError> {
    note::find(&mut query.tx, filter, id)?.ok_or(AppError::NotFound(Missing::Record))
}

/// An issue and one of its notes, for reactions to the note.
pub(crate) fn found(
    query: &mut Query<'_>,
    of: &IssuableReference,
    id: NoteId,
    action: IssuableAction,
) -> Result<(AuthorizedIssuable, Note), AppError> {
    let (issue, filter) = readable(query, of, action)?;
    let note = find(query, &filter, id)?;
    Ok((issue, note))
}

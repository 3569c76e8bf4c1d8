//! Discussions of merge requests that are not resolved.

use std::collections::HashSet;

use diesel::prelude::*;
use tenon_domain::id::{IssuableId, NoteId, UserId};
use tenon_domain::note::{DiffPosition, NoteKind, Resolution};

use super::{NoteFilter, names_nothing_hidden, position};
use crate::db::expressions::in_ids;
use crate::db::row::naive;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::notes;

/// A discussion that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenDiscussion {
    /// Its id.
    pub id: String,
    /// The first of its notes that is to be resolved.
    pub first: NoteId,
}

/// Of discussions, the most that one statement names.
const AT_A_TIME: usize = 500;

/// Notes of a merge request that are still to be resolved. A macro, because diesel has no name for the type.
macro_rules! open {
    ($issuable:expr) => {
        notes::table
            .filter(notes::issuable_id.eq($issuable.get()))
            .filter(notes::kind.ne(NoteKind::Note.as_str()))
            .filter(notes::system.eq(false))
            .filter(notes::resolved_at.is_null())
    };
}

/// True if a discussion of a merge request is still open.
pub fn has_open_discussions(tx: &mut ReadTx<'_>, issuable: IssuableId) -> StoreResult<bool> {
    Ok(diesel::select(diesel::dsl::exists(open!(issuable))).get_result(tx.conn)?)
}

/// Those of these merge requests in which a discussion is still open.
pub fn having_open_discussions(tx: &mut ReadTx<'_>, among: &[IssuableId]) -> StoreResult<HashSet<IssuableId>> {
    let found: Vec<i64> = notes::table
        .filter(in_ids(notes::issuable_id, among, IssuableId::get))
        .filter(notes::kind.ne(NoteKind::Note.as_str()))
        .filter(notes::system.eq(false))
        .filter(notes::resolved_at.is_null())
        .select(notes::issuable_id)
        .distinct()
        .load(tx.conn)?;
    Ok(found.into_iter().map(IssuableId::new).collect())
}

/// The open discussions of a merge request, in the order of what is open in them.
pub fn open_discussions(tx: &mut ReadTx<'_>, filter: &NoteFilter) -> StoreResult<Vec<OpenDiscussion>> {
    let first = diesel::dsl::min(notes::id);
    let found: Vec<(String, Option<i64>)> = open!(filter.issuable)
        .filter(names_nothing_hidden(filter))
        .group_by(notes::discussion_id)
        .order(first)
        .select((notes::discussion_id, first))
        .load(tx.conn)?;
    Ok(found.into_iter().filter_map(|(id, first)| Some(OpenDiscussion { id, first: NoteId::new(first?) })).collect())
}

/// Open discussions about lines of a merge request, with the newest notes first, of which there are at most so many.
pub fn open_on_lines(
    tx: &mut ReadTx<'_>,
    issuable: IssuableId,
    limit: i64,
) -> StoreResult<Vec<(OpenDiscussion, DiffPosition)>> {
    let rows: Vec<(String, i64, Option<String>)> = open!(issuable)
        .filter(notes::position.is_not_null())
        .order(notes::id.desc())
        .limit(limit)
        .select((notes::discussion_id, notes::id, notes::position))
        .load(tx.conn)?;
    let mut found: Vec<(OpenDiscussion, DiffPosition)> = Vec::new();
    for (id, note, text) in rows {
        let Some(position) = text.as_deref().and_then(position::decode) else { continue };
        let first = NoteId::new(note);
        match found.iter_mut().find(|(known, _)| known.id == id) {
            Some((known, _)) => known.first = first,
            None => found.push((OpenDiscussion { id, first }, position)),
        }
    }
    Ok(found)
}

/// Resolves what is open in discussions of a merge request; yields how many notes that were.
pub fn resolve_discussions(
    tx: &mut WriteTx<'_>,
    issuable: IssuableId,
    discussions: &[OpenDiscussion],
    resolution: Resolution,
) -> StoreResult<usize> {
    let columns =
        (notes::resolved_at.eq(Some(naive(resolution.at))), notes::resolved_by_id.eq(resolution.by.map(UserId::get)));
    let mut resolved = 0;
    for some in discussions.chunks(AT_A_TIME) {
        let ids: Vec<&str> = some.iter().map(|one| one.id.as_str()).collect();
        resolved +=
            diesel::update(open!(issuable).filter(notes::discussion_id.eq_any(ids))).set(columns).execute(tx.conn)?;
    }
    Ok(resolved)
}

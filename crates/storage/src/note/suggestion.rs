//! Changes of lines that comments propose.

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{IssuableId, NoteId, SuggestionId, UserId};
use tenon_domain::suggestion::{Proposal, Suggestion, SuggestionCommit};
use tenon_domain::time::Timestamp;

use crate::db::expressions::in_ids;
use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::suggestions;

#[derive(Queryable, Selectable)]
#[diesel(table_name = suggestions)]
struct SuggestionRow {
    id: i64,
    issuable_id: i64,
    note_id: i64,
    place: i64,
    from_line: i64,
    to_line: i64,
    from_content: String,
    to_content: String,
    outdated: bool,
    commit_sha: Option<String>,
    parent_sha: Option<String>,
    user_id: Option<i64>,
    begun_at: Option<NaiveDateTime>,
    applied_at: Option<NaiveDateTime>,
}

impl From<SuggestionRow> for Suggestion {
    fn from(row: SuggestionRow) -> Self {
        let commit = (row.commit_sha, row.parent_sha, row.user_id, row.begun_at);
        Self {
            id: SuggestionId::new(row.id),
            issuable: IssuableId::new(row.issuable_id),
            note: NoteId::new(row.note_id),
            place: row.place,
            proposal: Proposal {
                from_line: row.from_line,
                to_line: row.to_line,
                from_content: row.from_content,
                to_content: row.to_content,
            },
            outdated: row.outdated,
            commit: match commit {
                (Some(id), Some(parent), Some(by), Some(at)) => Some(SuggestionCommit {
                    id,
                    parent,
                    by: UserId::new(by),
                    begun_at: utc(at),
                    applied_at: row.applied_at.map(utc),
                }),
                _ => None,
            },
        }
    }
}

/// The suggestions of each of these notes, in their order.
pub fn suggestions_of(tx: &mut ReadTx<'_>, notes: &[NoteId]) -> StoreResult<HashMap<NoteId, Vec<Suggestion>>> {
    let mut found: HashMap<NoteId, Vec<Suggestion>> = HashMap::new();
    if notes.is_empty() {
        return Ok(found);
    }
    let rows: Vec<SuggestionRow> = suggestions::table
        .filter(in_ids(suggestions::note_id, notes, NoteId::get))
        .order((suggestions::note_id, suggestions::place))
        .select(SuggestionRow::as_select())
        .load(tx.conn)?;
    for row in rows {
        found.entry(NoteId::new(row.note_id)).or_default().push(row.into());
    }
    Ok(found)
}

/// The suggestions of these ids, in the order of the ids.
pub fn suggestions(tx: &mut ReadTx<'_>, ids: &[SuggestionId]) -> StoreResult<Vec<Suggestion>> {
    let rows: Vec<SuggestionRow> = suggestions::table
        .filter(in_ids(suggestions::id, ids, SuggestionId::get))
        .order(suggestions::id)
        .select(SuggestionRow::as_select())
        .load(tx.conn)?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// The newest suggestions of a merge request that no commit applies, so many at most.
pub fn open_suggestions(tx: &mut ReadTx<'_>, of: IssuableId, limit: i64) -> StoreResult<Vec<Suggestion>> {
    let rows: Vec<SuggestionRow> = suggestions::table
        .filter(suggestions::issuable_id.eq(of.get()))
        .filter(suggestions::applied_at.is_null())
        .order(suggestions::id.desc())
        .limit(limit)
        .select(SuggestionRow::as_select())
        .load(tx.conn)?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// How many suggestions of a merge request change lines that are as they were, and are not applied.
pub fn count_appliable(tx: &mut ReadTx<'_>, of: IssuableId) -> StoreResult<i64> {
    let open = suggestions::table
        .filter(suggestions::issuable_id.eq(of.get()))
        .filter(suggestions::applied_at.is_null())
        .filter(suggestions::outdated.eq(false))
        .filter(suggestions::from_content.ne(suggestions::to_content));
    Ok(open.count().get_result(tx.conn)?)
}

/// Stores a suggestion of a note.
pub fn insert_suggestion(
    tx: &mut WriteTx<'_>,
    of: IssuableId,
    note: NoteId,
    place: i64,
    proposal: &Proposal,
) -> StoreResult<()> {
    diesel::insert_into(suggestions::table)
        .values((
            suggestions::issuable_id.eq(of.get()),
            suggestions::note_id.eq(note.get()),
            suggestions::place.eq(place),
            suggestions::from_line.eq(proposal.from_line),
            suggestions::to_line.eq(proposal.to_line),
            suggestions::from_content.eq(&proposal.from_content),
            suggestions::to_content.eq(&proposal.to_content),
            suggestions::outdated.eq(false),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Removes suggestions.
pub fn delete_suggestions(tx: &mut WriteTx<'_>, ids: &[SuggestionId]) -> StoreResult<()> {
    diesel::delete(suggestions::table.filter(in_ids(suggestions::id, ids, SuggestionId::get))).execute(tx.conn)?;
    Ok(())
}

/// Notes whether the lines of a suggestion were changed.
pub fn set_outdated(tx: &mut WriteTx<'_>, id: SuggestionId, outdated: bool) -> StoreResult<()> {
    diesel::update(suggestions::table.find(id.get())).set(suggestions::outdated.eq(outdated)).execute(tx.conn)?;
    Ok(())
}

/// Records the commit that is to apply these suggestions. Yields how many had none yet.
pub fn begin_suggestions(tx: &mut WriteTx<'_>, ids: &[SuggestionId], commit: &SuggestionCommit) -> StoreResult<usize> {
    let free = suggestions::table
        .filter(in_ids(suggestions::id, ids, SuggestionId::get))
        .filter(suggestions::commit_sha.is_null());
    Ok(diesel::update(free)
        .set((
            suggestions::commit_sha.eq(&commit.id),
            suggestions::parent_sha.eq(&commit.parent),
            suggestions::user_id.eq(commit.by.get()),
            suggestions::begun_at.eq(naive(commit.begun_at)),
        ))
        .execute(tx.conn)?)
}

/// Forgets a commit of a merge request that its branch has not got.
pub fn drop_suggestion_commit(tx: &mut WriteTx<'_>, of: IssuableId, commit: &str) -> StoreResult<()> {
    let begun = suggestions::table
        .filter(suggestions::issuable_id.eq(of.get()))
        .filter(suggestions::commit_sha.eq(commit))
        .filter(suggestions::applied_at.is_null());
    diesel::update(begun)
        .set((
            suggestions::commit_sha.eq(None::<String>),
            suggestions::parent_sha.eq(None::<String>),
            suggestions::user_id.eq(None::<i64>),
            suggestions::begun_at.eq(None::<NaiveDateTime>),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Records that the branch of a merge request has this commit. Yields the notes whose suggestions were not known as applied.
pub fn finish_suggestions(
    tx: &mut WriteTx<'_>,
    of: IssuableId,
    commit: &str,
    at: Timestamp,
) -> StoreResult<Vec<NoteId>> {
    let begun = || {
        suggestions::table
            .filter(suggestions::issuable_id.eq(of.get()))
            .filter(suggestions::commit_sha.eq(commit))
            .filter(suggestions::applied_at.is_null())
    };
    let notes: Vec<i64> = begun().select(suggestions::note_id).load(tx.conn)?;
    diesel::update(begun()).set(suggestions::applied_at.eq(naive(at))).execute(tx.conn)?;
    Ok(notes.into_iter().map(NoteId::new).collect())
}

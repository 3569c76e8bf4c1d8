//! Comments that are not yet published.

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{DraftNoteId, IssuableId, UserId};
use tenon_domain::note::DraftNote;
use tenon_domain::time::Timestamp;

use super::position;
use crate::db::row::{naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::draft_notes;

#[derive(Queryable, Selectable)]
#[diesel(table_name = draft_notes)]
struct DraftRow {
    id: i64,
    issuable_id: i64,
    author_id: i64,
    body: String,
    discussion_id: Option<String>,
    position: Option<String>,
    resolves: bool,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl TryFrom<DraftRow> for DraftNote {
    type Error = StoreError;

    fn try_from(row: DraftRow) -> StoreResult<Self> {
        Ok(Self {
            id: DraftNoteId::new(row.id),
            issuable: IssuableId::new(row.issuable_id),
            author: UserId::new(row.author_id),
            body: row.body,
            discussion: row.discussion_id,
            position: match &row.position {
                Some(text) => Some(parsed("draft_notes", "position", row.id, text, position::decode)?),
                None => None,
            },
            resolves: row.resolves,
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        })
    }
}

/// All drafts of one author on a merge request, in the order in which they were written.
pub fn drafts(tx: &mut ReadTx<'_>, of: IssuableId, author: UserId) -> StoreResult<Vec<DraftNote>> {
    let rows: Vec<DraftRow> = draft_notes::table
        .filter(draft_notes::author_id.eq(author.get()))
        .filter(draft_notes::issuable_id.eq(of.get()))
        .order(draft_notes::id)
        .select(DraftRow::as_select())
        .load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// How many drafts an author has on a merge request.
pub fn count_drafts(tx: &mut ReadTx<'_>, of: IssuableId, author: UserId) -> StoreResult<i64> {
    let own = draft_notes::table
        .filter(draft_notes::author_id.eq(author.get()))
        .filter(draft_notes::issuable_id.eq(of.get()));
    Ok(own.count().get_result(tx.conn)?)
}

/// True if this is a draft of the author on the merge request.
pub fn is_draft_of(tx: &mut ReadTx<'_>, of: IssuableId, author: UserId, id: DraftNoteId) -> StoreResult<bool> {
    let one = draft_notes::table
        .find(id.get())
        .filter(draft_notes::author_id.eq(author.get()))
        .filter(draft_notes::issuable_id.eq(of.get()));
    Ok(diesel::select(diesel::dsl::exists(one)).get_result(tx.conn)?)
}

/// Stores a draft; its id counts for nothing. Yields the id.
pub fn insert_draft(tx: &mut WriteTx<'_>, draft: &DraftNote) -> StoreResult<DraftNoteId> {
    let id = diesel::insert_into(draft_notes::table)
        .values((
            draft_notes::issuable_id.eq(draft.issuable.get()),
            draft_notes::author_id.eq(draft.author.get()),
            draft_notes::body.eq(&draft.body),
            draft_notes::discussion_id.eq(&draft.discussion),
            draft_notes::position.eq(draft.position.as_ref().map(position::encode)),
            draft_notes::resolves.eq(draft.resolves),
            draft_notes::created_at.eq(naive(draft.created_at)),
            draft_notes::updated_at.eq(naive(draft.updated_at)),
        ))
        .returning(draft_notes::id)
        .get_result(tx.conn)?;
    Ok(DraftNoteId::new(id))
}

/// Changes the text of a draft.
pub fn update_draft(tx: &mut WriteTx<'_>, id: DraftNoteId, body: &str, at: Timestamp) -> StoreResult<()> {
    diesel::update(draft_notes::table.find(id.get()))
        .set((draft_notes::body.eq(body), draft_notes::updated_at.eq(naive(at))))
        .execute(tx.conn)?;
    Ok(())
}

/// Deletes a draft.
pub fn delete_draft(tx: &mut WriteTx<'_>, id: DraftNoteId) -> StoreResult<()> {
    diesel::delete(draft_notes::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}

/// Deletes all drafts of one author on a merge request.
pub fn delete_drafts(tx: &mut WriteTx<'_>, of: IssuableId, author: UserId) -> StoreResult<()> {
    let own = draft_notes::table
        .filter(draft_notes::author_id.eq(author.get()))
        .filter(draft_notes::issuable_id.eq(of.get()));
    diesel::delete(own).execute(tx.conn)?;
    Ok(())
}

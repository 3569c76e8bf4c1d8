//! Merges that are under way.

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{IssuableId, UserId};
use tenon_domain::merge_request::MergeIntent;

use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::merge_intents;

#[derive(Queryable, Selectable)]
#[diesel(table_name = merge_intents)]
struct IntentRow {
    issuable_id: i64,
    user_id: i64,
    target_sha: String,
    source_sha: String,
    tip_sha: String,
    merge_commit_sha: Option<String>,
    squash_commit_sha: Option<String>,
    remove_source_branch: bool,
    created_at: NaiveDateTime,
}

impl From<IntentRow> for MergeIntent {
    fn from(row: IntentRow) -> Self {
        Self {
            of: IssuableId::new(row.issuable_id),
            by: UserId::new(row.user_id),
            target: row.target_sha,
            source: row.source_sha,
            tip: row.tip_sha,
            merge_commit: row.merge_commit_sha,
            squash_commit: row.squash_commit_sha,
            remove_source_branch: row.remove_source_branch,
            at: utc(row.created_at),
        }
    }
}

/// Records that a merge begins.
pub fn begin(tx: &mut WriteTx<'_>, intent: &MergeIntent) -> StoreResult<()> {
    diesel::insert_into(merge_intents::table)
        .values((
            merge_intents::issuable_id.eq(intent.of.get()),
            merge_intents::user_id.eq(intent.by.get()),
            merge_intents::target_sha.eq(&intent.target),
            merge_intents::source_sha.eq(&intent.source),
            merge_intents::tip_sha.eq(&intent.tip),
            merge_intents::merge_commit_sha.eq(&intent.merge_commit),
            merge_intents::squash_commit_sha.eq(&intent.squash_commit),
            merge_intents::remove_source_branch.eq(intent.remove_source_branch),
            merge_intents::created_at.eq(naive(intent.at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// The merge of a merge request that is under way.
pub fn find_intent(tx: &mut ReadTx<'_>, of: IssuableId) -> StoreResult<Option<MergeIntent>> {
    let row: Option<IntentRow> =
        merge_intents::table.find(of.get()).select(IntentRow::as_select()).first(tx.conn).optional()?;
    Ok(row.map(Into::into))
}

/// All merges that are under way, or were when the server stopped.
pub fn intents(tx: &mut ReadTx<'_>) -> StoreResult<Vec<MergeIntent>> {
    let rows: Vec<IntentRow> =
        merge_intents::table.order(merge_intents::issuable_id).select(IntentRow::as_select()).load(tx.conn)?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// Forgets a merge that is done or given up.
pub fn drop_intent(tx: &mut WriteTx<'_>, of: IssuableId) -> StoreResult<()> {
    diesel::delete(merge_intents::table.find(of.get())).execute(tx.conn)?;
    Ok(())
}

//! Filling a database with many issues and merge requests at once: for seeding and imports. The data that single writes
//! keep current with every row (counts, numbers, the search index) is brought up to date at the end, by
//! [`rebuild_counters`].

use std::collections::HashMap;

use diesel::prelude::*;
use tenon_domain::id::{IssuableId, LabelId, UserId};
use tenon_domain::issuable::Issuable;
use tenon_domain::merge_request::MergeRequest;
use tenon_domain::note::Note;

use crate::db::connection::on_each;
use crate::db::row::naive;
use crate::db::tx::WriteTx;
use crate::error::StoreResult;
use crate::rows::issuable::IssuableColumns;
use crate::rows::merge_request::MergeRequestColumns;
use crate::schema::{issuable_assignees, issuable_labels, issuables, merge_requests, notes};
use crate::text_index;

/// An issue or merge request with what belongs to it.
#[derive(Debug, Clone)]
pub struct BulkIssuable {
    /// The common part. Its id is ignored; its count of notes is stored as it stands.
    pub issuable: Issuable,
    /// The part of a merge request only; its id is ignored.
    pub request: Option<MergeRequest>,
    /// Its labels.
    pub labels: Vec<LabelId>,
    /// Its assignees.
    pub assignees: Vec<UserId>,
    /// Its notes; their id and what they are about are ignored.
    pub notes: Vec<Note>,
}

/// The most rows of one statement: SQLite binds 32,766 values at most.
const CHUNK: usize = 1000;

/// Stores what is all new and of one kind, a thousand a statement.
pub fn insert_many(tx: &mut WriteTx<'_>, items: &[BulkIssuable]) -> StoreResult<()> {
    for chunk in items.chunks(CHUNK) {
        let rows: Vec<_> = chunk
            .iter()
            .map(|item| {
                (
                    IssuableColumns::from(&item.issuable),
                    issuables::user_notes_count.eq(item.issuable.user_notes_count),
                    issuables::upvotes.eq(item.issuable.upvotes),
                    issuables::downvotes.eq(item.issuable.downvotes),
                )
            })
            .collect();
        let ids: Vec<(i64, i64, i64)> = on_each!(tx.conn, c => diesel::insert_into(issuables::table)
            .values(rows)
            .returning((issuables::id, issuables::project_id, issuables::iid))
            .get_results(c))?;
        let ids: HashMap<(i64, i64), i64> = ids.into_iter().map(|(id, project, iid)| ((project, iid), id)).collect();
        let placed: Vec<(IssuableId, &BulkIssuable)> = chunk
            .iter()
            .filter_map(|item| {
                let id = ids.get(&(item.issuable.project.get(), item.issuable.iid.get()))?;
                Some((IssuableId::new(*id), item))
            })
            .collect();
        insert_links(tx, &placed)?;
        insert_notes(tx, &placed)?;
        let requests: Vec<MergeRequest> =
            placed.iter().filter_map(|(id, item)| Some(MergeRequest { id: *id, ..item.request.clone()? })).collect();
        insert_requests(tx, &requests)?;
    }
    Ok(())
}

fn insert_requests(tx: &mut WriteTx<'_>, requests: &[MergeRequest]) -> StoreResult<()> {
    if requests.is_empty() {
        return Ok(());
    }
    let rows: Vec<_> = requests.iter().map(MergeRequestColumns::from).collect();
    on_each!(tx.conn, c => diesel::insert_into(merge_requests::table).values(&rows).execute(c))?;
    Ok(())
}

fn insert_links(tx: &mut WriteTx<'_>, placed: &[(IssuableId, &BulkIssuable)]) -> StoreResult<()> {
    let labels: Vec<_> = placed
        .iter()
        .flat_map(|(id, item)| {
            item.labels
                .iter()
                .map(|label| (issuable_labels::issuable_id.eq(id.get()), issuable_labels::label_id.eq(label.get())))
        })
        .collect();
    for chunk in labels.chunks(CHUNK) {
        on_each!(tx.conn, c => diesel::insert_into(issuable_labels::table).values(chunk).execute(c))?;
    }
    let assignees: Vec<_> = placed
        .iter()
        .flat_map(|(id, item)| {
            (0_i64..).zip(&item.assignees).map(|(position, user)| {
                (
                    issuable_assignees::issuable_id.eq(id.get()),
                    issuable_assignees::user_id.eq(user.get()),
                    issuable_assignees::position.eq(position),
                )
            })
        })
        .collect();
    for chunk in assignees.chunks(CHUNK) {
        on_each!(tx.conn, c => diesel::insert_into(issuable_assignees::table).values(chunk).execute(c))?;
    }
    Ok(())
}

fn insert_notes(tx: &mut WriteTx<'_>, placed: &[(IssuableId, &BulkIssuable)]) -> StoreResult<()> {
    let rows: Vec<_> = placed
        .iter()
        .flat_map(|(id, item)| {
            item.notes.iter().map(|note| {
                (
                    notes::issuable_id.eq(id.get()),
                    notes::author_id.eq(note.author.get()),
                    notes::discussion_id.eq(&note.discussion),
                    notes::kind.eq(note.kind.as_str()),
                    notes::system.eq(note.system),
                    notes::body.eq(&note.body),
                    notes::created_at.eq(naive(note.created_at)),
                    notes::updated_at.eq(naive(note.updated_at)),
                )
            })
        })
        .collect();
    for chunk in rows.chunks(CHUNK) {
        on_each!(tx.conn, c => diesel::insert_into(notes::table).values(chunk).execute(c))?;
    }
    Ok(())
}

/// Makes counts, counters of numbers and the search index agree with the rows, after [`insert_many`]. May take minutes.
pub fn rebuild_counters(tx: &mut WriteTx<'_>) -> StoreResult<()> {
    for statement in [
        "DELETE FROM issuable_counts",
        "INSERT INTO issuable_counts (project_id, kind, state, confidential, count) \
         SELECT project_id, kind, state, confidential, COUNT(*) FROM issuables WHERE deleted_at IS NULL \
         GROUP BY project_id, kind, state, confidential",
        "UPDATE projects SET open_issues_count = COALESCE((SELECT count FROM issuable_counts \
         WHERE issuable_counts.project_id = projects.id AND kind = 'issue' AND state = 'opened' \
         AND confidential = FALSE), 0)",
        "DELETE FROM iid_counters WHERE project_id IS NOT NULL AND kind IN ('issue', 'merge_request')",
        "INSERT INTO iid_counters (project_id, kind, last_iid) \
         SELECT project_id, kind, MAX(iid) FROM issuables GROUP BY project_id, kind",
    ] {
        diesel::sql_query(statement).execute(tx.conn)?;
    }
    Ok(text_index::rebuild(tx.conn)?)
}

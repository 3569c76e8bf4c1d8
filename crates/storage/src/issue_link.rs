//! Links between two issues.

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{IssuableId, IssueLinkId};
use tenon_domain::time::Timestamp;

use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::issue_links;

/// A link. The blocked one is the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueLink {
    /// Its id.
    pub id: IssueLinkId,
    /// From.
    pub source: IssuableId,
    /// To.
    pub target: IssuableId,
    /// True if the source blocks the target; otherwise they have to do with each other.
    pub blocks: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

type Row = (i64, i64, i64, String, NaiveDateTime, NaiveDateTime);

fn link((id, source, target, kind, created_at, updated_at): Row) -> IssueLink {
    IssueLink {
        id: IssueLinkId::new(id),
        source: IssuableId::new(source),
        target: IssuableId::new(target),
        blocks: kind == "blocks",
        created_at: utc(created_at),
        updated_at: utc(updated_at),
    }
}

/// All links of an issue, by id.
pub fn of_issue(tx: &mut ReadTx<'_>, issue: IssuableId) -> StoreResult<Vec<IssueLink>> {
    let rows: Vec<Row> = issue_links::table
        .filter(issue_links::source_id.eq(issue.get()).or(issue_links::target_id.eq(issue.get())))
        .order(issue_links::id)
        .load(tx.conn)?;
    Ok(rows.into_iter().map(link).collect())
}

/// How many links an issue has.
pub fn count(tx: &mut ReadTx<'_>, issue: IssuableId) -> StoreResult<i64> {
    let links =
        issue_links::table.filter(issue_links::source_id.eq(issue.get()).or(issue_links::target_id.eq(issue.get())));
    Ok(links.count().get_result(tx.conn)?)
}

/// Stores a link; the id is ignored. Fails with [`crate::UniqueKey::IssueLink`].
pub fn insert(tx: &mut WriteTx<'_>, link: &IssueLink) -> StoreResult<IssueLinkId> {
    let id = diesel::insert_into(issue_links::table)
        .values((
            issue_links::source_id.eq(link.source.get()),
            issue_links::target_id.eq(link.target.get()),
            issue_links::kind.eq(if link.blocks { "blocks" } else { "relates_to" }),
            issue_links::created_at.eq(naive(link.created_at)),
            issue_links::updated_at.eq(naive(link.updated_at)),
        ))
        .returning(issue_links::id)
        .get_result(tx.conn)?;
    Ok(IssueLinkId::new(id))
}

/// Removes a link.
pub fn delete(tx: &mut WriteTx<'_>, id: IssueLinkId) -> StoreResult<()> {
    diesel::delete(issue_links::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}

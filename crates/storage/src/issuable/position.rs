//! The positions of issues in the order in which users put them.

use std::collections::HashMap;

use diesel::prelude::*;
use tenon_domain::id::IssuableId;
use tenon_domain::issuable::position::initial;

use crate::db::connection::on_each;
use crate::db::expressions::in_ids;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::issue_positions;

/// The positions of these issues.
pub fn of(tx: &mut ReadTx<'_>, ids: &[IssuableId]) -> StoreResult<HashMap<IssuableId, i64>> {
    let rows: Vec<(i64, i64)> = issue_positions::table
        .filter(in_ids(issue_positions::issuable_id, ids, IssuableId::get))
        .select((issue_positions::issuable_id, issue_positions::position))
        .load(tx.conn)?;
    let mut found: HashMap<IssuableId, i64> = ids.iter().map(|id| (*id, initial(*id))).collect();
    found.extend(rows.into_iter().map(|(id, position)| (IssuableId::new(id), position)));
    Ok(found)
}

/// The last moved issues with a position behind `from` and up to `to`, the last one first: at most `limit`.
pub fn last_up_to(tx: &mut ReadTx<'_>, from: i64, to: i64, limit: usize) -> StoreResult<Vec<(IssuableId, i64)>> {
    let rows = issue_positions::table
        .filter(issue_positions::position.gt(from))
        .filter(issue_positions::position.le(to))
        .order((issue_positions::position.desc(), issue_positions::issuable_id))
        .select((issue_positions::issuable_id, issue_positions::position))
        .limit(i64::try_from(limit).unwrap_or(i64::MAX))
        .load(tx.conn)?;
    Ok(named(rows))
}

/// The first moved issues with a position behind `from` and before `to`, in their order: at most `limit`.
pub fn first_behind(tx: &mut ReadTx<'_>, from: i64, to: i64, limit: usize) -> StoreResult<Vec<(IssuableId, i64)>> {
    let rows = issue_positions::table
        .filter(issue_positions::position.gt(from))
        .filter(issue_positions::position.lt(to))
        .order((issue_positions::position, issue_positions::issuable_id.desc()))
        .select((issue_positions::issuable_id, issue_positions::position))
        .limit(i64::try_from(limit).unwrap_or(i64::MAX))
        .load(tx.conn)?;
    Ok(named(rows))
}

fn named(rows: Vec<(i64, i64)>) -> Vec<(IssuableId, i64)> {
    rows.into_iter().map(|(id, position)| (IssuableId::new(id), position)).collect()
}

/// Gives an issue a position.
pub fn set(tx: &mut WriteTx<'_>, id: IssuableId, position: i64) -> StoreResult<()> {
    let row = (issue_positions::issuable_id.eq(id.get()), issue_positions::position.eq(position));
    on_each!(tx.conn, c => diesel::insert_into(issue_positions::table)
        .values(row)
        .on_conflict(issue_positions::issuable_id)
        .do_update()
        .set(issue_positions::position.eq(position))
        .execute(c))?;
    Ok(())
}

//! The positions of issues in the order in which users put them.

use std::collections::HashMap;

use diesel::dsl::{max, min};
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

/// The next given position before one, of another issue than `but`.
pub fn next_before(tx: &mut ReadTx<'_>, position: i64, but: IssuableId) -> StoreResult<Option<i64>> {
    Ok(issue_positions::table
        .filter(issue_positions::position.lt(position))
        .filter(issue_positions::issuable_id.ne(but.get()))
        .select(max(issue_positions::position))
        .get_result(tx.conn)?)
}

/// The next given position behind one, of another issue than `but`.
pub fn next_behind(tx: &mut ReadTx<'_>, position: i64, but: IssuableId) -> StoreResult<Option<i64>> {
    Ok(issue_positions::table
        .filter(issue_positions::position.gt(position))
        .filter(issue_positions::issuable_id.ne(but.get()))
        .select(min(issue_positions::position))
        .get_result(tx.conn)?)
}

/// The moved issues between two positions, in their order: at most `limit`.
pub fn moved_between(tx: &mut ReadTx<'_>, from: i64, to: i64, limit: i64) -> StoreResult<Vec<IssuableId>> {
    let rows: Vec<i64> = issue_positions::table
        .filter(issue_positions::position.gt(from))
        .filter(issue_positions::position.lt(to))
        .order((issue_positions::position, issue_positions::issuable_id.desc()))
        .select(issue_positions::issuable_id)
        .limit(limit)
        .load(tx.conn)?;
    Ok(rows.into_iter().map(IssuableId::new).collect())
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

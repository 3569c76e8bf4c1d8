//! Issues that are due.

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::id::{IssuableId, UserId};
use tenon_domain::issuable::IssuableKind;

use crate::db::expressions::in_ids;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::issuables;

/// Open issues that are due on `day`, of which no user was reminded for that day, with their authors: by id, after `after`, at most
/// `limit`.
pub fn due_without_reminder(
    tx: &mut ReadTx<'_>,
    day: NaiveDate,
    after: Option<IssuableId>,
    limit: i64,
) -> StoreResult<Vec<(IssuableId, UserId)>> {
    let rows: Vec<(i64, i64)> = issuables::table
        .filter(issuables::due_date.eq(day))
        .filter(issuables::id.gt(after.map_or(0, IssuableId::get)))
        .filter(issuables::deleted_at.is_null())
        .filter(issuables::kind.eq(IssuableKind::Issue.as_str()))
        .filter(issuables::state.eq("opened"))
        .filter(issuables::due_reminder.is_null().or(issuables::due_reminder.ne(day)))
        .order(issuables::id)
        .limit(limit)
        .select((issuables::id, issuables::author_id))
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|(id, author)| (IssuableId::new(id), UserId::new(author))).collect())
}

/// Records that users are reminded of these issues for `day`.
pub fn mark_reminded(tx: &mut WriteTx<'_>, ids: &[IssuableId], day: NaiveDate) -> StoreResult<()> {
    diesel::update(issuables::table.filter(in_ids(issuables::id, ids, IssuableId::get)))
        .set(issuables::due_reminder.eq(Some(day)))
        .execute(tx.conn)?;
    Ok(())
}

//! Issues that are due.

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::id::IssuableId;
use tenon_domain::issuable::IssuableKind;

use crate::db::connection::on_each;
use crate::db::expressions::in_ids;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::issuables;

/// Open issues that are due on `day`, of which no user was reminded for that day: by id, at most `limit`.
pub fn due_without_reminder(tx: &mut ReadTx<'_>, day: NaiveDate, limit: i64) -> StoreResult<Vec<IssuableId>> {
    let ids: Vec<i64> = issuables::table
        .filter(issuables::due_date.eq(day))
        .filter(issuables::deleted_at.is_null())
        .filter(issuables::kind.eq(IssuableKind::Issue.as_str()))
        .filter(issuables::state.eq("opened"))
        .filter(issuables::due_reminder.is_null().or(issuables::due_reminder.ne(day)))
        .order(issuables::id)
        .limit(limit)
        .select(issuables::id)
        .load(tx.conn)?;
    Ok(ids.into_iter().map(IssuableId::new).collect())
}

/// Records that users are reminded of these issues for `day`.
pub fn mark_reminded(tx: &mut WriteTx<'_>, ids: &[IssuableId], day: NaiveDate) -> StoreResult<()> {
    on_each!(tx.conn, c => diesel::update(issuables::table.filter(in_ids(issuables::id, ids, IssuableId::get)))
        .set(issuables::due_reminder.eq(Some(day)))
        .execute(c))?;
    Ok(())
}

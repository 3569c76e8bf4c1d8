//! The verdicts of reviewers about merge requests.

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{IssuableId, UserId};
use tenon_domain::merge_request::{GivenVerdict, Verdict};
use tenon_domain::time::Timestamp;

use crate::db::expressions::in_ids;
use crate::db::row::{naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::merge_request_verdicts as verdicts;

/// The verdicts about each of these, oldest first.
pub fn verdicts(tx: &mut ReadTx<'_>, ids: &[IssuableId]) -> StoreResult<HashMap<IssuableId, Vec<GivenVerdict>>> {
    let rows: Vec<(i64, i64, String, NaiveDateTime)> = verdicts::table
        .filter(in_ids(verdicts::issuable_id, ids, IssuableId::get))
        .order((verdicts::issuable_id, verdicts::created_at, verdicts::user_id))
        .load(tx.conn)?;
    let mut found: HashMap<IssuableId, Vec<GivenVerdict>> = HashMap::new();
    for (id, user, word, at) in rows {
        let verdict = parsed("merge_request_verdicts", "verdict", id, &word, Verdict::parse)?;
        let given = GivenVerdict { by: UserId::new(user), verdict, at: utc(at) };
        found.entry(IssuableId::new(id)).or_default().push(given);
    }
    Ok(found)
}

/// Stores the verdict of a user in place of an earlier one.
pub fn set_verdict(
    tx: &mut WriteTx<'_>,
    of: IssuableId,
    by: UserId,
    verdict: Verdict,
    at: Timestamp,
) -> StoreResult<()> {
    delete_verdict(tx, of, by)?;
    diesel::insert_into(verdicts::table)
        .values((
            verdicts::issuable_id.eq(of.get()),
            verdicts::user_id.eq(by.get()),
            verdicts::verdict.eq(verdict.as_str()),
            verdicts::created_at.eq(naive(at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Removes the verdict of a user; yields whether there was one.
pub fn delete_verdict(tx: &mut WriteTx<'_>, of: IssuableId, by: UserId) -> StoreResult<bool> {
    Ok(diesel::delete(verdicts::table.find((of.get(), by.get()))).execute(tx.conn)? > 0)
}

/// Removes the approvals of a merge request; yields how many there were.
pub fn delete_approvals(tx: &mut WriteTx<'_>, of: IssuableId) -> StoreResult<usize> {
    let approvals = verdicts::table
        .filter(verdicts::issuable_id.eq(of.get()))
        .filter(verdicts::verdict.eq(Verdict::Approved.as_str()));
    Ok(diesel::delete(approvals).execute(tx.conn)?)
}

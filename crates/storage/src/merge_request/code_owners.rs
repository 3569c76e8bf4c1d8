//! The parts of files of code owners that merge requests touch.

use std::collections::HashMap;

use diesel::prelude::*;
use tenon_domain::id::IssuableId;
use tenon_domain::repository::code_owners::{OwnersRefusal, TouchedOwners};

use crate::db::expressions::in_ids;
use crate::db::row::parsed;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{merge_request_code_owners as code_owners, merge_requests};

/// The lines that each of these touches, with the branch into which it is to be merged. Those that touch nothing are left out.
pub fn touched_owners(
    tx: &mut ReadTx<'_>,
    ids: &[IssuableId],
) -> StoreResult<HashMap<IssuableId, (String, TouchedOwners)>> {
    let rows: Vec<(i64, String, String, Option<String>)> = code_owners::table
        .inner_join(merge_requests::table.on(merge_requests::issuable_id.eq(code_owners::issuable_id)))
        .filter(in_ids(code_owners::issuable_id, ids, IssuableId::get))
        .select((code_owners::issuable_id, merge_requests::target_branch, code_owners::lines, code_owners::refusal))
        .load(tx.conn)?;
    let touched = |(id, branch, lines, refusal): (i64, String, String, Option<String>)| {
        let word = |word: String| parsed("merge_request_code_owners", "refusal", id, &word, OwnersRefusal::parse);
        let refusal = refusal.map(word).transpose()?;
        Ok((IssuableId::new(id), (branch, TouchedOwners { lines, refusal })))
    };
    rows.into_iter().map(touched).collect()
}

/// Stores what a merge request touches.
pub fn set_touched_owners(tx: &mut WriteTx<'_>, of: IssuableId, touched: &TouchedOwners) -> StoreResult<()> {
    diesel::delete(code_owners::table.find(of.get())).execute(tx.conn)?;
    if *touched == TouchedOwners::default() {
        return Ok(());
    }
    diesel::insert_into(code_owners::table)
        .values((
            code_owners::issuable_id.eq(of.get()),
            code_owners::lines.eq(&touched.lines),
            code_owners::refusal.eq(touched.refusal.map(OwnersRefusal::as_str)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

//! Questions to browsers whose users sign in. A browser is known by the digest of its cookie.

use diesel::prelude::*;
use tenon_domain::passkey::ChallengePurpose;
use tenon_domain::time::Timestamp;

use crate::db::connection::on_each;
use crate::db::row::naive;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::sign_in_challenges;

/// How many there are, with those that have expired and were not removed yet.
pub fn count(tx: &mut ReadTx<'_>) -> StoreResult<i64> {
    Ok(sign_in_challenges::table.count().get_result(tx.conn)?)
}

/// Asks a browser; what it was asked before for this purpose is void.
pub fn put(
    tx: &mut WriteTx<'_>,
    browser: &str,
    purpose: ChallengePurpose,
    value: &str,
    expires_at: Timestamp,
) -> StoreResult<()> {
    let set = (sign_in_challenges::value.eq(value), sign_in_challenges::expires_at.eq(naive(expires_at)));
    let key = (sign_in_challenges::browser.eq(browser), sign_in_challenges::purpose.eq(purpose.as_str()));
    on_each!(tx.conn, c => diesel::insert_into(sign_in_challenges::table)
        .values((key, set))
        .on_conflict((sign_in_challenges::browser, sign_in_challenges::purpose))
        .do_update()
        .set(set)
        .execute(c))?;
    Ok(())
}

/// The question that a browser was asked, once, if it has not expired.
pub fn take(
    tx: &mut WriteTx<'_>,
    browser: &str,
    purpose: ChallengePurpose,
    now: Timestamp,
) -> StoreResult<Option<String>> {
    let asked = sign_in_challenges::table.find((browser, purpose.as_str()));
    let found: Option<String> = asked
        .filter(sign_in_challenges::expires_at.gt(naive(now)))
        .select(sign_in_challenges::value)
        .first(tx.conn)
        .optional()?;
    // Of two answers at the same time, one finds the row gone.
    let is_mine = diesel::delete(sign_in_challenges::table.find((browser, purpose.as_str()))).execute(tx.conn)? > 0;
    Ok(found.filter(|_| is_mine))
}

/// True if one has expired.
pub fn any_expired(tx: &mut ReadTx<'_>, now: Timestamp) -> StoreResult<bool> {
    let expired = sign_in_challenges::table.filter(sign_in_challenges::expires_at.le(naive(now)));
    Ok(diesel::select(diesel::dsl::exists(expired)).get_result(tx.conn)?)
}

/// Removes those that have expired.
pub fn purge_expired(tx: &mut WriteTx<'_>, now: Timestamp) -> StoreResult<()> {
    let expired = sign_in_challenges::table.filter(sign_in_challenges::expires_at.le(naive(now)));
    diesel::delete(expired).execute(tx.conn)?;
    Ok(())
}

//! Links that were sent to addresses, to be opened by who reads mail there.

use diesel::dsl::max;
use diesel::prelude::*;
use tenon_domain::id::UserId;
use tenon_domain::time::Timestamp;

use crate::db::row::{Moment, naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::email_confirmations;

/// An address that is to be confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmation {
    /// Its id.
    pub id: i64,
    /// Whose the address is to be.
    pub user: UserId,
    /// The address.
    pub address: String,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When the link ends.
    pub expires_at: Timestamp,
}

type Row = (i64, i64, String, Moment, Moment);

fn confirmation((id, user, address, created_at, expires_at): Row) -> Confirmation {
    let (created_at, expires_at) = (utc(created_at), utc(expires_at));
    Confirmation { id, user: UserId::new(user), address, created_at, expires_at }
}

const COLUMNS: (
    email_confirmations::id,
    email_confirmations::user_id,
    email_confirmations::email,
    email_confirmations::created_at,
    email_confirmations::expires_at,
) = (
    email_confirmations::id,
    email_confirmations::user_id,
    email_confirmations::email,
    email_confirmations::created_at,
    email_confirmations::expires_at,
);

/// Notes that a link is to be sent, whose token does not exist yet, and yields its id. Those of the user that have ended are
/// removed.
pub fn insert(
    tx: &mut WriteTx<'_>,
    user: UserId,
    address: &str,
    created_at: Timestamp,
    expires_at: Timestamp,
) -> StoreResult<i64> {
    let ended = email_confirmations::table
        .filter(email_confirmations::user_id.eq(user.get()))
        .filter(email_confirmations::expires_at.le(naive(created_at)));
    diesel::delete(ended).execute(tx.conn)?;
    Ok(diesel::insert_into(email_confirmations::table)
        .values((
            email_confirmations::user_id.eq(user.get()),
            email_confirmations::email.eq(address),
            email_confirmations::created_at.eq(naive(created_at)),
            email_confirmations::expires_at.eq(naive(expires_at)),
        ))
        .returning(email_confirmations::id)
        .get_result(tx.conn)?)
}

/// How many links of a user have not ended.
pub fn count(tx: &mut ReadTx<'_>, user: UserId, now: Timestamp) -> StoreResult<i64> {
    let query = email_confirmations::table
        .filter(email_confirmations::user_id.eq(user.get()))
        .filter(email_confirmations::expires_at.gt(naive(now)));
    Ok(query.count().get_result(tx.conn)?)
}

/// When a link was last asked for that confirms this address of a user.
pub fn last_asked(tx: &mut ReadTx<'_>, user: UserId, address: &str) -> StoreResult<Option<Timestamp>> {
    let found: Option<chrono::NaiveDateTime> = email_confirmations::table
        .filter(email_confirmations::user_id.eq(user.get()))
        .filter(email_confirmations::email.eq(address))
        .select(max(email_confirmations::created_at))
        .first(tx.conn)?;
    Ok(found.map(utc))
}

/// The confirmation to be sent; `None` if the address was confirmed or given up.
pub fn find(tx: &mut ReadTx<'_>, id: i64) -> StoreResult<Option<Confirmation>> {
    let found: Option<Row> = email_confirmations::table.find(id).select(COLUMNS).first(tx.conn).optional()?;
    Ok(found.map(confirmation))
}

/// Gives a link another token, of which this is the digest.
pub fn set_digest(tx: &mut WriteTx<'_>, id: i64, digest: &str) -> StoreResult<()> {
    diesel::update(email_confirmations::table.find(id)).set(email_confirmations::digest.eq(digest)).execute(tx.conn)?;
    Ok(())
}

/// The confirmation for a token of this digest, if it has not ended.
pub fn by_digest(tx: &mut ReadTx<'_>, digest: &str, now: Timestamp) -> StoreResult<Option<Confirmation>> {
    let found: Option<Row> = email_confirmations::table
        .filter(email_confirmations::digest.eq(digest))
        .filter(email_confirmations::expires_at.gt(naive(now)))
        .select(COLUMNS)
        .first(tx.conn)
        .optional()?;
    Ok(found.map(confirmation))
}

/// Ends all tokens of the links that confirm this address of a user. They still count among those of the user.
pub fn use_up(tx: &mut WriteTx<'_>, user: UserId, address: &str) -> StoreResult<()> {
    let links = email_confirmations::table
        .filter(email_confirmations::user_id.eq(user.get()))
        .filter(email_confirmations::email.eq(address));
    diesel::update(links).set(email_confirmations::digest.eq(None::<String>)).execute(tx.conn)?;
    Ok(())
}

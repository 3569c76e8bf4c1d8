//! Tokens of feeds: each user has one at most.

use diesel::prelude::*;
use tenon_domain::id::UserId;

use crate::db::connection::on_each;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::feed_tokens;

/// The user whose token of feeds has this digest.
pub fn feed_user(tx: &mut ReadTx<'_>, digest: &str) -> StoreResult<Option<UserId>> {
    let found: Option<i64> = feed_tokens::table
        .filter(feed_tokens::digest.eq(digest))
        .select(feed_tokens::user_id)
        .first(tx.conn)
        .optional()?;
    Ok(found.map(UserId::new))
}

/// The sealed token of feeds of a user, if they have one.
pub fn sealed_feed_token(tx: &mut ReadTx<'_>, user: UserId) -> StoreResult<Option<String>> {
    Ok(feed_tokens::table.find(user.get()).select(feed_tokens::sealed_token).first(tx.conn).optional()?)
}

/// Deletes the token of feeds of a user. False if they have none.
pub fn delete_feed_token(tx: &mut WriteTx<'_>, user: UserId) -> StoreResult<bool> {
    Ok(diesel::delete(feed_tokens::table.find(user.get())).execute(tx.conn)? > 0)
}

/// Gives a user a token of feeds. The one before is no longer known.
pub fn set_feed_token(tx: &mut WriteTx<'_>, user: UserId, digest: &str, sealed: &str) -> StoreResult<()> {
    let values = (feed_tokens::digest.eq(digest), feed_tokens::sealed_token.eq(sealed));
    on_each!(tx.conn, c => diesel::insert_into(feed_tokens::table)
        .values((feed_tokens::user_id.eq(user.get()), values))
        .on_conflict(feed_tokens::user_id)
        .do_update()
        .set(values)
        .execute(c))?;
    Ok(())
}

//! Sign-in sessions of browsers. Cookie and CSRF token are known by their digests only.

use diesel::prelude::*;
use tenon_domain::id::UserId;
use tenon_domain::time::Timestamp;
use tenon_domain::user::User;

use crate::db::row::naive;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::rows::user::UserRow;
use crate::schema::{access_revision, sessions, users};

/// The user of an unexpired session, with the digest of the session's CSRF token.
pub fn by_digest(tx: &mut ReadTx<'_>, digest: &str, now: Timestamp) -> StoreResult<Option<(User, String)>> {
    let revision = access_revision::table.select(access_revision::value).single_value();
    let found: Option<(UserRow, String, Option<i64>)> = sessions::table
        .inner_join(users::table.on(users::id.eq(sessions::user_id)))
        .filter(sessions::digest.eq(digest))
        .filter(sessions::expires_at.gt(naive(now)))
        .filter(users::deleting_at.is_null())
        .select((UserRow::as_select(), sessions::csrf_digest, revision))
        .first(tx.conn)
        .optional()?;
    let Some((user, csrf, revision)) = found else { return Ok(None) };
    tx.saw_revision(revision);
    Ok(Some((user.try_into()?, csrf)))
}

/// Stores a session.
pub fn insert(
    tx: &mut WriteTx<'_>,
    user: UserId,
    digest: &str,
    csrf_digest: &str,
    expires_at: Timestamp,
    at: Timestamp,
) -> StoreResult<()> {
    diesel::insert_into(sessions::table)
        .values((
            sessions::user_id.eq(user.get()),
            sessions::digest.eq(digest),
            sessions::csrf_digest.eq(csrf_digest),
            sessions::expires_at.eq(naive(expires_at)),
            sessions::created_at.eq(naive(at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Ends all sessions of a user.
pub fn delete_of_user(tx: &mut WriteTx<'_>, user: UserId) -> StoreResult<()> {
    diesel::delete(sessions::table.filter(sessions::user_id.eq(user.get()))).execute(tx.conn)?;
    Ok(())
}

/// Whether a session has expired.
pub fn any_expired(tx: &mut ReadTx<'_>, now: Timestamp) -> StoreResult<bool> {
    let first: Option<chrono::NaiveDateTime> = sessions::table
        .filter(sessions::expires_at.le(naive(now)))
        .select(sessions::expires_at)
        .first(tx.conn)
        .optional()?;
    Ok(first.is_some())
}

/// Removes sessions that have ended.
pub fn purge_expired(tx: &mut WriteTx<'_>, now: Timestamp) -> StoreResult<usize> {
    Ok(diesel::delete(sessions::table.filter(sessions::expires_at.le(naive(now)))).execute(tx.conn)?)
}

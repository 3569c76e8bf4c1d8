//! Links by which users choose a new password: one for each user.

use diesel::prelude::*;
use tenon_domain::id::UserId;
use tenon_domain::time::Timestamp;

use crate::db::connection::on_each;
use crate::db::row::{Moment, naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::password_resets;

/// The last link of a user, be it used up, and how many mails had one lately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasswordReset {
    /// Whose password it is.
    pub user: UserId,
    /// The digest of its token; `None` if it was used, or has ended before its time.
    pub digest: Option<String>,
    /// When the link was asked for.
    pub asked_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
    /// Since when mails are counted.
    pub counted_since: Timestamp,
    /// How many mails were asked for since then.
    pub mails: i64,
}

/// The last link of a user.
pub fn find(tx: &mut ReadTx<'_>, user: UserId) -> StoreResult<Option<PasswordReset>> {
    let found: Option<(Option<String>, Moment, Moment, Moment, i64)> = password_resets::table
        .find(user.get())
        .select((
            password_resets::digest,
            password_resets::asked_at,
            password_resets::expires_at,
            password_resets::counted_since,
            password_resets::mails,
        ))
        .first(tx.conn)
        .optional()?;
    Ok(found.map(|(digest, asked_at, expires_at, counted_since, mails)| PasswordReset {
        user,
        digest,
        asked_at: utc(asked_at),
        expires_at: utc(expires_at),
        counted_since: utc(counted_since),
        mails,
    }))
}

/// Stores a link in the place of the last one of its user, which is void.
pub fn replace(tx: &mut WriteTx<'_>, reset: &PasswordReset) -> StoreResult<()> {
    let set = (
        password_resets::digest.eq(&reset.digest),
        password_resets::asked_at.eq(naive(reset.asked_at)),
        password_resets::expires_at.eq(naive(reset.expires_at)),
        password_resets::counted_since.eq(naive(reset.counted_since)),
        password_resets::mails.eq(reset.mails),
    );
    on_each!(tx.conn, c => diesel::insert_into(password_resets::table)
        .values((password_resets::user_id.eq(reset.user.get()), set))
        .on_conflict(password_resets::user_id)
        .do_update()
        .set(set)
        .execute(c))?;
    Ok(())
}

/// The user whose password a token of this digest changes, if the link has not ended.
pub fn by_digest(tx: &mut ReadTx<'_>, digest: &str, now: Timestamp) -> StoreResult<Option<UserId>> {
    let found: Option<i64> = password_resets::table
        .filter(password_resets::digest.eq(digest))
        .filter(password_resets::expires_at.gt(naive(now)))
        .select(password_resets::user_id)
        .first(tx.conn)
        .optional()?;
    Ok(found.map(UserId::new))
}

/// Ends the link whose token has this digest; yields whose it was. Only the first of several requests with the same token gets
/// that.
pub fn use_up(tx: &mut WriteTx<'_>, digest: &str, now: Timestamp) -> StoreResult<Option<UserId>> {
    let open = password_resets::table
        .filter(password_resets::digest.eq(digest))
        .filter(password_resets::expires_at.gt(naive(now)));
    let used: Vec<i64> = diesel::update(open)
        .set(password_resets::digest.eq(None::<String>))
        .returning(password_resets::user_id)
        .get_results(tx.conn)?;
    Ok(used.first().copied().map(UserId::new))
}

/// Ends the link of a user, if there is one.
pub(super) fn end(tx: &mut WriteTx<'_>, user: UserId) -> StoreResult<()> {
    diesel::update(password_resets::table.find(user.get()))
        .set(password_resets::digest.eq(None::<String>))
        .execute(tx.conn)?;
    Ok(())
}

//! Sign-in sessions of browsers. A cookie is known by its digest only.

use diesel::prelude::*;
use tenon_domain::id::{SessionId, UserId};
use tenon_domain::session::Session;
use tenon_domain::time::Timestamp;
use tenon_domain::user::User;

use crate::db::row::{Moment, naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::rows::user::UserRow;
use crate::schema::{access_revision, sessions, users};

/// A session that is about to begin.
#[derive(Debug, Clone)]
pub struct NewSession<'a> {
    /// Whose it is.
    pub user: UserId,
    /// The digest of its cookie.
    pub digest: &'a str,
    /// The address from which the user signs in.
    pub address: Option<&'a str>,
    /// How the browser describes itself.
    pub user_agent: Option<&'a str>,
    /// True if the cookie outlives the browser.
    pub remembered: bool,
    /// True if only the password was right so far. Such a session proves nothing.
    pub awaits_second_factor: bool,
    /// Now.
    pub created_at: Timestamp,
    /// When it ends, if it is not used before.
    pub expires_at: Timestamp,
    /// The session of the administrator who acts as the user in this one.
    pub impersonator: Option<SessionId>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = sessions)]
struct SessionRow {
    id: i64,
    user_id: i64,
    address: Option<String>,
    user_agent: Option<String>,
    remembered: bool,
    created_at: Moment,
    last_used_at: Moment,
    expires_at: Moment,
    impersonator_session_id: Option<i64>,
    admin_mode_until: Option<Moment>,
}

impl From<SessionRow> for Session {
    fn from(row: SessionRow) -> Self {
        Self {
            id: SessionId::new(row.id),
            user: UserId::new(row.user_id),
            address: row.address,
            user_agent: row.user_agent,
            remembered: row.remembered,
            created_at: utc(row.created_at),
            last_used_at: utc(row.last_used_at),
            expires_at: utc(row.expires_at),
            impersonator: row.impersonator_session_id.map(SessionId::new),
            admin_mode_until: row.admin_mode_until.map(utc),
        }
    }
}

/// The unexpired session with this digest, and its user; `awaiting` a second factor, or complete.
fn find(tx: &mut ReadTx<'_>, digest: &str, awaiting: bool, now: Timestamp) -> StoreResult<Option<(User, Session)>> {
    let revision = access_revision::table.select(access_revision::value).single_value();
    let found: Option<(UserRow, SessionRow, Option<i64>)> = sessions::table
        .inner_join(users::table.on(users::id.eq(sessions::user_id)))
        .filter(sessions::digest.eq(digest))
        .filter(sessions::awaits_second_factor.eq(awaiting))
        .filter(sessions::expires_at.gt(naive(now)))
        .filter(users::deleting_at.is_null())
        .select((UserRow::as_select(), SessionRow::as_select(), revision))
        .first(tx.conn)
        .optional()?;
    let Some((user, session, revision)) = found else { return Ok(None) };
    tx.saw_revision(revision);
    Ok(Some((user.try_into()?, session.into())))
}

/// The unexpired session whose cookie has this digest, and its user.
pub fn by_digest(tx: &mut ReadTx<'_>, digest: &str, now: Timestamp) -> StoreResult<Option<(User, Session)>> {
    find(tx, digest, false, now)
}

/// As [`by_digest`], for a session that waits for a second factor.
pub fn awaiting_second_factor(
    tx: &mut ReadTx<'_>,
    digest: &str,
    now: Timestamp,
) -> StoreResult<Option<(User, Session)>> {
    find(tx, digest, true, now)
}

/// The complete unexpired session with this id, and its user.
pub fn by_id(tx: &mut ReadTx<'_>, id: SessionId, now: Timestamp) -> StoreResult<Option<(User, Session)>> {
    let found: Option<(UserRow, SessionRow)> = sessions::table
        .inner_join(users::table.on(users::id.eq(sessions::user_id)))
        .filter(sessions::id.eq(id.get()))
        .filter(sessions::awaits_second_factor.eq(false))
        .filter(sessions::expires_at.gt(naive(now)))
        .filter(users::deleting_at.is_null())
        .select((UserRow::as_select(), SessionRow::as_select()))
        .first(tx.conn)
        .optional()?;
    let Some((user, session)) = found else { return Ok(None) };
    Ok(Some((user.try_into()?, session.into())))
}

/// The complete sessions of a user that have not expired, last used first; `most` at most. Without those in which an administrator
/// acts as the user.
pub fn of_user(tx: &mut ReadTx<'_>, user: UserId, most: i64, now: Timestamp) -> StoreResult<Vec<Session>> {
    let rows: Vec<SessionRow> = sessions::table
        .filter(sessions::user_id.eq(user.get()))
        .filter(sessions::awaits_second_factor.eq(false))
        .filter(sessions::impersonator_session_id.is_null())
        .filter(sessions::expires_at.gt(naive(now)))
        .order((sessions::last_used_at.desc(), sessions::id.desc()))
        .limit(most)
        .select(SessionRow::as_select())
        .load(tx.conn)?;
    Ok(rows.into_iter().map(Session::from).collect())
}

/// Stores a session.
pub fn insert(tx: &mut WriteTx<'_>, new: &NewSession<'_>) -> StoreResult<()> {
    diesel::insert_into(sessions::table)
        .values((
            sessions::user_id.eq(new.user.get()),
            sessions::digest.eq(new.digest),
            sessions::address.eq(new.address),
            sessions::user_agent.eq(new.user_agent),
            sessions::remembered.eq(new.remembered),
            sessions::awaits_second_factor.eq(new.awaits_second_factor),
            sessions::created_at.eq(naive(new.created_at)),
            sessions::last_used_at.eq(naive(new.created_at)),
            sessions::expires_at.eq(naive(new.expires_at)),
            sessions::impersonator_session_id.eq(new.impersonator.map(SessionId::get)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Notes that a session was used, and when it ends now.
pub fn renew(tx: &mut WriteTx<'_>, id: SessionId, used_at: Timestamp, expires_at: Timestamp) -> StoreResult<()> {
    diesel::update(sessions::table.filter(sessions::id.eq(id.get())))
        .set((sessions::last_used_at.eq(naive(used_at)), sessions::expires_at.eq(naive(expires_at))))
        .execute(tx.conn)?;
    Ok(())
}

/// Notes until when the user of a session acts as an administrator; `None` if no longer.
pub fn set_admin_mode(tx: &mut WriteTx<'_>, id: SessionId, until: Option<Timestamp>) -> StoreResult<()> {
    diesel::update(sessions::table.filter(sessions::id.eq(id.get())))
        .set(sessions::admin_mode_until.eq(until.map(naive)))
        .execute(tx.conn)?;
    Ok(())
}

/// Gives a session another cookie, with this digest.
pub fn set_digest(tx: &mut WriteTx<'_>, id: SessionId, digest: &str) -> StoreResult<()> {
    diesel::update(sessions::table.filter(sessions::id.eq(id.get())))
        .set(sessions::digest.eq(digest))
        .execute(tx.conn)?;
    Ok(())
}

/// Ends what an administrator does in this session as another user.
pub fn delete_impersonation(tx: &mut WriteTx<'_>, impersonator: SessionId) -> StoreResult<()> {
    diesel::delete(sessions::table.filter(sessions::impersonator_session_id.eq(impersonator.get())))
        .execute(tx.conn)?;
    Ok(())
}

/// Ends what a user does in any session as another user.
pub fn delete_impersonations_by(tx: &mut WriteTx<'_>, user: UserId) -> StoreResult<()> {
    let own = sessions::table.filter(sessions::user_id.eq(user.get())).select(sessions::id);
    let own: Vec<i64> = own.load(tx.conn)?;
    diesel::delete(sessions::table.filter(sessions::impersonator_session_id.eq_any(own))).execute(tx.conn)?;
    Ok(())
}

/// Lets complete sessions, remembered ones or others, end at this moment if they are not used before. Sessions that end
/// earlier keep their end.
pub fn end_by(tx: &mut WriteTx<'_>, remembered: bool, at: Timestamp) -> StoreResult<()> {
    let later = sessions::table
        .filter(sessions::expires_at.gt(naive(at)))
        .filter(sessions::remembered.eq(remembered))
        .filter(sessions::awaits_second_factor.eq(false));
    diesel::update(later).set(sessions::expires_at.eq(naive(at))).execute(tx.conn)?;
    Ok(())
}

/// Ends one session of a user; `false` if there is none.
pub fn delete(tx: &mut WriteTx<'_>, user: UserId, id: SessionId) -> StoreResult<bool> {
    let own = sessions::table.filter(sessions::id.eq(id.get())).filter(sessions::user_id.eq(user.get()));
    Ok(diesel::delete(own).execute(tx.conn)? > 0)
}

/// Ends all sessions of a user.
pub fn delete_of_user(tx: &mut WriteTx<'_>, user: UserId) -> StoreResult<()> {
    diesel::delete(sessions::table.filter(sessions::user_id.eq(user.get()))).execute(tx.conn)?;
    Ok(())
}

/// Ends all sessions of a user but one.
pub fn delete_others(tx: &mut WriteTx<'_>, user: UserId, kept: SessionId) -> StoreResult<()> {
    let others = sessions::table.filter(sessions::user_id.eq(user.get())).filter(sessions::id.ne(kept.get()));
    diesel::delete(others).execute(tx.conn)?;
    Ok(())
}

/// Ends what waits for a second factor of a user.
pub fn delete_awaiting(tx: &mut WriteTx<'_>, user: UserId) -> StoreResult<()> {
    let awaiting = sessions::table.filter(sessions::user_id.eq(user.get())).filter(sessions::awaits_second_factor);
    diesel::delete(awaiting).execute(tx.conn)?;
    Ok(())
}

/// Ends the complete sessions of a user that were not used for longest, so that `kept` remain.
pub fn delete_oldest(tx: &mut WriteTx<'_>, user: UserId, kept: i64) -> StoreResult<()> {
    let beyond: Vec<i64> = sessions::table
        .filter(sessions::user_id.eq(user.get()))
        .filter(sessions::awaits_second_factor.eq(false))
        .filter(sessions::impersonator_session_id.is_null())
        .order((sessions::last_used_at.desc(), sessions::id.desc()))
        .offset(kept)
        .limit(kept.max(1))
        .select(sessions::id)
        .load(tx.conn)?;
    if !beyond.is_empty() {
        diesel::delete(sessions::table.filter(sessions::id.eq_any(beyond))).execute(tx.conn)?;
    }
    Ok(())
}

/// True if a session has expired.
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

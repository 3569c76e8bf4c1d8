//! Requests of devices.

use diesel::prelude::*;
use tenon_domain::id::{ApplicationId, DeviceGrantId, UserId};
use tenon_domain::oauth::{DeviceDecision, DeviceGrant, UserCode};
use tenon_domain::time::Timestamp;
use tenon_domain::token::Scopes;

use crate::db::row::{Moment, naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::oauth_device_grants;

#[derive(Queryable, Selectable)]
#[diesel(table_name = oauth_device_grants)]
struct DeviceGrantRow {
    id: i64,
    application_id: i64,
    scopes: String,
    user_code: String,
    user_id: Option<i64>,
    denied: bool,
    polled_at: Option<Moment>,
    expires_at: Moment,
}

impl TryFrom<DeviceGrantRow> for DeviceGrant {
    type Error = StoreError;

    fn try_from(row: DeviceGrantRow) -> StoreResult<Self> {
        let scopes = |text: &str| Scopes::parse(text).ok().filter(|scopes| !scopes.is_empty());
        let decision = match row.user_id {
            Some(user) => Some(DeviceDecision::Approved(UserId::new(user))),
            None => row.denied.then_some(DeviceDecision::Denied),
        };
        Ok(Self {
            id: DeviceGrantId::new(row.id),
            application: ApplicationId::new(row.application_id),
            scopes: parsed("oauth_device_grants", "scopes", row.id, &row.scopes, scopes)?,
            user_code: parsed("oauth_device_grants", "user_code", row.id, &row.user_code, UserCode::parse)?,
            decision,
            polled_at: row.polled_at.map(utc),
            expires_at: utc(row.expires_at),
        })
    }
}

/// The request of the device that has this secret, by its digest.
pub fn by_digest(tx: &mut ReadTx<'_>, digest: &str) -> StoreResult<Option<DeviceGrant>> {
    let row: Option<DeviceGrantRow> = oauth_device_grants::table
        .filter(oauth_device_grants::device_digest.eq(digest))
        .select(DeviceGrantRow::as_select())
        .first(tx.conn)
        .optional()?;
    row.map(TryInto::try_into).transpose()
}

/// The request whose device shows this code.
pub fn by_user_code(tx: &mut ReadTx<'_>, code: &UserCode) -> StoreResult<Option<DeviceGrant>> {
    let row: Option<DeviceGrantRow> = oauth_device_grants::table
        .filter(oauth_device_grants::user_code.eq(code.as_str()))
        .select(DeviceGrantRow::as_select())
        .first(tx.conn)
        .optional()?;
    row.map(TryInto::try_into).transpose()
}

/// How many requests of an application have not ended.
pub fn count(tx: &mut ReadTx<'_>, application: ApplicationId, now: Timestamp) -> StoreResult<i64> {
    let of = oauth_device_grants::table
        .filter(oauth_device_grants::application_id.eq(application.get()))
        .filter(oauth_device_grants::expires_at.gt(naive(now)));
    Ok(of.count().get_result(tx.conn)?)
}

/// Stores a new request, on which nothing is decided; the id in `grant` is ignored.
pub fn insert(tx: &mut WriteTx<'_>, grant: &DeviceGrant, device_digest: &str) -> StoreResult<()> {
    diesel::insert_into(oauth_device_grants::table)
        .values((
            oauth_device_grants::application_id.eq(grant.application.get()),
            oauth_device_grants::scopes.eq(grant.scopes.to_string()),
            oauth_device_grants::device_digest.eq(device_digest),
            oauth_device_grants::user_code.eq(grant.user_code.as_str()),
            oauth_device_grants::expires_at.eq(naive(grant.expires_at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Notes that the device has asked for its tokens.
pub fn set_polled(tx: &mut WriteTx<'_>, id: DeviceGrantId, at: Timestamp) -> StoreResult<()> {
    diesel::update(oauth_device_grants::table.find(id.get()))
        .set(oauth_device_grants::polled_at.eq(naive(at)))
        .execute(tx.conn)?;
    Ok(())
}

/// Notes the decision of a user. `false` if there was one before.
pub fn decide(tx: &mut WriteTx<'_>, id: DeviceGrantId, decision: DeviceDecision) -> StoreResult<bool> {
    let user = match decision {
        DeviceDecision::Approved(user) => Some(user.get()),
        DeviceDecision::Denied => None,
    };
    let open = oauth_device_grants::table
        .find(id.get())
        .filter(oauth_device_grants::user_id.is_null())
        .filter(oauth_device_grants::denied.eq(false));
    let changed = diesel::update(open)
        .set((oauth_device_grants::user_id.eq(user), oauth_device_grants::denied.eq(user.is_none())))
        .execute(tx.conn)?;
    Ok(changed > 0)
}

/// Removes a request. `false` if it was removed before.
pub fn delete(tx: &mut WriteTx<'_>, id: DeviceGrantId) -> StoreResult<bool> {
    Ok(diesel::delete(oauth_device_grants::table.find(id.get())).execute(tx.conn)? > 0)
}

/// Removes the requests that a user has approved for an application, whose devices have not asked for their tokens since, and
/// yields how many there were.
pub fn delete_approved(tx: &mut WriteTx<'_>, user: UserId, application: ApplicationId) -> StoreResult<usize> {
    let approved = oauth_device_grants::table
        .filter(oauth_device_grants::user_id.eq(user.get()))
        .filter(oauth_device_grants::application_id.eq(application.get()));
    Ok(diesel::delete(approved).execute(tx.conn)?)
}

/// Removes requests that ended before `end`.
pub fn purge_expired(tx: &mut WriteTx<'_>, end: Timestamp) -> StoreResult<usize> {
    let ended = oauth_device_grants::table.filter(oauth_device_grants::expires_at.le(naive(end)));
    Ok(diesel::delete(ended).execute(tx.conn)?)
}

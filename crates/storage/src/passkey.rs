//! Passkeys of users.

use diesel::prelude::*;
use tenon_domain::id::{PasskeyId, UserId};
use tenon_domain::passkey::Passkey;
use tenon_domain::time::Timestamp;

use crate::db::row::{Moment, naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::passkeys;

#[derive(Queryable, Selectable)]
#[diesel(table_name = passkeys)]
struct PasskeyRow {
    id: i64,
    user_id: i64,
    name: String,
    credential: String,
    public_key: String,
    sign_count: i64,
    created_at: Moment,
    last_used_at: Option<Moment>,
}

impl From<PasskeyRow> for Passkey {
    fn from(row: PasskeyRow) -> Self {
        Self {
            id: PasskeyId::new(row.id),
            user: UserId::new(row.user_id),
            name: row.name,
            credential: row.credential,
            public_key: row.public_key,
            count: row.sign_count,
            created_at: utc(row.created_at),
            last_used_at: row.last_used_at.map(utc),
        }
    }
}

/// The passkeys of a user, by id; `most` at most.
pub fn of_user(tx: &mut ReadTx<'_>, user: UserId, most: i64) -> StoreResult<Vec<Passkey>> {
    let rows: Vec<PasskeyRow> = passkeys::table
        .filter(passkeys::user_id.eq(user.get()))
        .order(passkeys::id.asc())
        .limit(most)
        .select(PasskeyRow::as_select())
        .load(tx.conn)?;
    Ok(rows.into_iter().map(Passkey::from).collect())
}

/// How many passkeys a user has.
pub fn count(tx: &mut ReadTx<'_>, user: UserId) -> StoreResult<i64> {
    Ok(passkeys::table.filter(passkeys::user_id.eq(user.get())).count().get_result(tx.conn)?)
}

/// The passkey with this identifier, whosever it is.
pub fn find(tx: &mut ReadTx<'_>, credential: &str) -> StoreResult<Option<Passkey>> {
    let found = passkeys::table.filter(passkeys::credential.eq(credential)).select(PasskeyRow::as_select());
    let row: Option<PasskeyRow> = found.first(tx.conn).optional()?;
    Ok(row.map(Passkey::from))
}

/// Stores a passkey, whose id is ignored.
pub fn insert(tx: &mut WriteTx<'_>, passkey: &Passkey) -> StoreResult<()> {
    diesel::insert_into(passkeys::table)
        .values((
            passkeys::user_id.eq(passkey.user.get()),
            passkeys::name.eq(&passkey.name),
            passkeys::credential.eq(&passkey.credential),
            passkeys::public_key.eq(&passkey.public_key),
            passkeys::sign_count.eq(passkey.count),
            passkeys::created_at.eq(naive(passkey.created_at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Notes a use, after which the authenticator has said this number of uses.
pub fn mark_used(tx: &mut WriteTx<'_>, id: PasskeyId, count: i64, at: Timestamp) -> StoreResult<()> {
    diesel::update(passkeys::table.find(id.get()))
        .set((passkeys::sign_count.eq(count), passkeys::last_used_at.eq(naive(at))))
        .execute(tx.conn)?;
    Ok(())
}

/// Gives a passkey of a user another name; `false` if there is none.
pub fn rename(tx: &mut WriteTx<'_>, user: UserId, id: PasskeyId, name: &str) -> StoreResult<bool> {
    let own = passkeys::table.filter(passkeys::id.eq(id.get())).filter(passkeys::user_id.eq(user.get()));
    Ok(diesel::update(own).set(passkeys::name.eq(name)).execute(tx.conn)? > 0)
}

/// Removes a passkey of a user; `false` if there is none.
pub fn delete(tx: &mut WriteTx<'_>, user: UserId, id: PasskeyId) -> StoreResult<bool> {
    let own = passkeys::table.filter(passkeys::id.eq(id.get())).filter(passkeys::user_id.eq(user.get()));
    Ok(diesel::delete(own).execute(tx.conn)? > 0)
}

/// Removes all passkeys of a user.
pub fn delete_of_user(tx: &mut WriteTx<'_>, user: UserId) -> StoreResult<()> {
    diesel::delete(passkeys::table.filter(passkeys::user_id.eq(user.get()))).execute(tx.conn)?;
    Ok(())
}

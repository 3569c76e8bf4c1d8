//! OpenPGP keys of users.

use std::collections::HashMap;

use diesel::prelude::*;
use tenon_domain::gpg_key::{GpgKey, KeyPart, KeyUserId, PublicGpgKey, SigningKey};
use tenon_domain::id::{GpgKeyId, GpgSubkeyId, UserId};
use tenon_domain::page::{Page, PageRequest};

use crate::db::expressions::in_ids;
use crate::db::paging::page;
use crate::db::row::{Moment, naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{gpg_keys, gpg_subkeys, gpg_user_ids, users};

#[derive(Queryable, Selectable)]
#[diesel(table_name = gpg_keys)]
struct GpgKeyRow {
    id: i64,
    user_id: i64,
    key_text: String,
    created_at: Moment,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = gpg_keys)]
struct PrimaryRow {
    fingerprint: String,
    keyid: String,
    revoked: bool,
    expires_at: Option<Moment>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = gpg_subkeys)]
struct SubkeyRow {
    id: i64,
    fingerprint: String,
    keyid: String,
    revoked: bool,
    expires_at: Option<Moment>,
}

impl From<GpgKeyRow> for GpgKey {
    fn from(row: GpgKeyRow) -> Self {
        Self {
            id: GpgKeyId::new(row.id),
            user: UserId::new(row.user_id),
            text: row.key_text,
            created_at: utc(row.created_at),
        }
    }
}

/// The key of that id, whosever it is.
pub fn find(tx: &mut ReadTx<'_>, id: GpgKeyId) -> StoreResult<Option<GpgKey>> {
    let found: Option<GpgKeyRow> =
        gpg_keys::table.find(id.get()).select(GpgKeyRow::as_select()).first(tx.conn).optional()?;
    Ok(found.map(Into::into))
}

/// The stored block of a key with this fingerprint or key id, also of an account that is being removed.
pub fn find_same(tx: &mut ReadTx<'_>, primary: &KeyPart) -> StoreResult<Option<String>> {
    let same = gpg_keys::fingerprint.eq(&primary.fingerprint).or(gpg_keys::keyid.eq(&primary.keyid));
    Ok(gpg_keys::table.filter(same).select(gpg_keys::key_text).first(tx.conn).optional()?)
}

/// How many keys a user has.
pub fn count(tx: &mut ReadTx<'_>, user: UserId) -> StoreResult<i64> {
    Ok(gpg_keys::table.filter(gpg_keys::user_id.eq(user.get())).count().get_result(tx.conn)?)
}

/// One page of the keys of a user, by id.
pub fn list(tx: &mut ReadTx<'_>, user: UserId, request: PageRequest) -> StoreResult<Page<GpgKey>> {
    let total = count(tx, user)?;
    page(request, total, |limit, offset| {
        let rows: Vec<GpgKeyRow> = gpg_keys::table
            .filter(gpg_keys::user_id.eq(user.get()))
            .order(gpg_keys::id.asc())
            .limit(limit)
            .offset(offset)
            .select(GpgKeyRow::as_select())
            .load(tx.conn)?;
        Ok(rows.into_iter().map(Into::into).collect())
    })
}

/// Keys that sign, and whose id this is, of users who are not being removed; at most `most` primary keys and `most`
/// subkeys.
pub fn signing(tx: &mut ReadTx<'_>, keyid: &str, most: i64) -> StoreResult<Vec<SigningKey>> {
    let primaries: Vec<(GpgKeyRow, PrimaryRow)> = gpg_keys::table
        .inner_join(users::table.on(users::id.eq(gpg_keys::user_id)))
        .filter(gpg_keys::keyid.eq(keyid))
        .filter(gpg_keys::can_sign.eq(true))
        .filter(users::deleting_at.is_null())
        .order(gpg_keys::id.asc())
        .limit(most)
        .select((GpgKeyRow::as_select(), PrimaryRow::as_select()))
        .load(tx.conn)?;
    let subkeys: Vec<(GpgKeyRow, PrimaryRow, SubkeyRow)> = gpg_subkeys::table
        .inner_join(gpg_keys::table.on(gpg_keys::id.eq(gpg_subkeys::gpg_key_id)))
        .inner_join(users::table.on(users::id.eq(gpg_keys::user_id)))
        .filter(gpg_subkeys::keyid.eq(keyid))
        .filter(users::deleting_at.is_null())
        .order(gpg_subkeys::id.asc())
        .limit(most)
        .select((GpgKeyRow::as_select(), PrimaryRow::as_select(), SubkeyRow::as_select()))
        .load(tx.conn)?;
    let ids: Vec<GpgKeyId> = primaries
        .iter()
        .map(|(key, _)| key.id)
        .chain(subkeys.iter().map(|(key, _, _)| key.id))
        .map(GpgKeyId::new)
        .collect();
    let mut named = user_ids(tx, &ids)?;
    let primaries = primaries.into_iter().map(|(key, primary)| (key, primary, None));
    let subkeys = subkeys.into_iter().map(|(key, primary, subkey)| (key, primary, Some(subkey)));
    Ok(primaries
        .chain(subkeys)
        .map(|(key, primary, subkey)| signing_key(key.into(), primary, subkey, &mut named))
        .collect())
}

fn signing_key(
    key: GpgKey,
    primary: PrimaryRow,
    subkey: Option<SubkeyRow>,
    named: &mut HashMap<GpgKeyId, Vec<KeyUserId>>,
) -> SigningKey {
    let primary_end = primary.expires_at.map(utc);
    let primary_keyid = primary.keyid.clone();
    let user_ids = named.get(&key.id).cloned().unwrap_or_default();
    let (subkey, part) = match subkey {
        None => (
            None,
            KeyPart {
                fingerprint: primary.fingerprint,
                keyid: primary.keyid,
                revoked: primary.revoked,
                expires_at: primary_end,
            },
        ),
        Some(row) => (
            Some(GpgSubkeyId::new(row.id)),
            KeyPart {
                fingerprint: row.fingerprint,
                keyid: row.keyid,
                revoked: row.revoked || primary.revoked,
                expires_at: row.expires_at.map(utc).into_iter().chain(primary_end).min(),
            },
        ),
    };
    SigningKey { key, primary_keyid, subkey, part, user_ids }
}

/// Whom these keys name.
fn user_ids(tx: &mut ReadTx<'_>, ids: &[GpgKeyId]) -> StoreResult<HashMap<GpgKeyId, Vec<KeyUserId>>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(i64, String, String)> = gpg_user_ids::table
        .filter(in_ids(gpg_user_ids::gpg_key_id, ids, GpgKeyId::get))
        .order(gpg_user_ids::id)
        .select((gpg_user_ids::gpg_key_id, gpg_user_ids::name, gpg_user_ids::email))
        .load(tx.conn)?;
    let mut found: HashMap<GpgKeyId, Vec<KeyUserId>> = HashMap::new();
    for (key, name, email) in rows {
        found.entry(GpgKeyId::new(key)).or_default().push(KeyUserId { name, email });
    }
    Ok(found)
}

/// Stores a new key, whose id is ignored, with what was found in it, and yields its id.
pub fn insert(tx: &mut WriteTx<'_>, key: &GpgKey, public: &PublicGpgKey) -> StoreResult<GpgKeyId> {
    let primary = &public.primary;
    let id: i64 = diesel::insert_into(gpg_keys::table)
        .values((
            gpg_keys::user_id.eq(key.user.get()),
            gpg_keys::key_text.eq(&key.text),
            gpg_keys::fingerprint.eq(&primary.fingerprint),
            gpg_keys::keyid.eq(&primary.keyid),
            gpg_keys::can_sign.eq(public.can_sign),
            gpg_keys::revoked.eq(primary.revoked),
            gpg_keys::expires_at.eq(primary.expires_at.map(naive)),
            gpg_keys::created_at.eq(naive(key.created_at)),
        ))
        .returning(gpg_keys::id)
        .get_result(tx.conn)?;
    for subkey in &public.subkeys {
        diesel::insert_into(gpg_subkeys::table)
            .values((
                gpg_subkeys::gpg_key_id.eq(id),
                gpg_subkeys::fingerprint.eq(&subkey.fingerprint),
                gpg_subkeys::keyid.eq(&subkey.keyid),
                gpg_subkeys::revoked.eq(subkey.revoked),
                gpg_subkeys::expires_at.eq(subkey.expires_at.map(naive)),
            ))
            .execute(tx.conn)?;
    }
    for user in &public.user_ids {
        let values =
            (gpg_user_ids::gpg_key_id.eq(id), gpg_user_ids::name.eq(&user.name), gpg_user_ids::email.eq(&user.email));
        diesel::insert_into(gpg_user_ids::table).values(values).execute(tx.conn)?;
    }
    Ok(GpgKeyId::new(id))
}

/// Removes a key.
pub fn delete(tx: &mut WriteTx<'_>, id: GpgKeyId) -> StoreResult<()> {
    diesel::delete(gpg_keys::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}

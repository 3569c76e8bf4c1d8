//! SSH keys of users.

use diesel::prelude::*;
use tenon_domain::id::{SshKeyId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::ssh_key::{Fingerprint, KeyUsage, PublicKey, SshKey};
use tenon_domain::time::Timestamp;

use crate::db::connection::Backend;
use crate::db::expressions::in_ids;
use crate::db::paging::page;
use crate::db::row::{Moment, naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::{ssh_keys, users};

#[derive(Queryable, Selectable)]
#[diesel(table_name = ssh_keys)]
struct SshKeyRow {
    id: i64,
    user_id: i64,
    title: String,
    key_text: String,
    usage_type: String,
    expires_at: Option<Moment>,
    created_at: Moment,
    last_used_at: Option<Moment>,
}

impl TryFrom<SshKeyRow> for SshKey {
    type Error = StoreError;

    fn try_from(row: SshKeyRow) -> StoreResult<Self> {
        Ok(Self {
            id: SshKeyId::new(row.id),
            user: UserId::new(row.user_id),
            usage: parsed("ssh_keys", "usage_type", row.id, &row.usage_type, KeyUsage::parse)?,
            title: row.title,
            text: row.key_text,
            expires_at: row.expires_at.map(utc),
            created_at: utc(row.created_at),
            last_used_at: row.last_used_at.map(utc),
        })
    }
}

type Query<'a> = ssh_keys::BoxedQuery<'a, Backend>;

/// Keys of users who are not being removed.
fn usable<'a>() -> Query<'a> {
    let owners = users::table.filter(users::deleting_at.is_null()).select(users::id);
    ssh_keys::table.filter(ssh_keys::user_id.eq_any(owners)).into_boxed::<Backend>()
}

fn with_fingerprint(fingerprint: &Fingerprint) -> Query<'_> {
    match fingerprint {
        Fingerprint::Md5(digits) => usable().filter(ssh_keys::md5.eq(digits)),
        Fingerprint::Sha256(digest) => usable().filter(ssh_keys::sha256.eq(digest)),
    }
}

fn one(tx: &mut ReadTx<'_>, query: Query<'_>) -> StoreResult<Option<SshKey>> {
    let row: Option<SshKeyRow> = query.select(SshKeyRow::as_select()).first(tx.conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

/// The key of that id, whosever it is.
pub fn find(tx: &mut ReadTx<'_>, id: SshKeyId) -> StoreResult<Option<SshKey>> {
    one(tx, usable().filter(ssh_keys::id.eq(id.get())))
}

/// The key with that fingerprint, whosever it is.
pub fn find_by_fingerprint(tx: &mut ReadTx<'_>, fingerprint: &Fingerprint) -> StoreResult<Option<SshKey>> {
    one(tx, with_fingerprint(fingerprint))
}

/// True if any account has this key, also one that is being removed.
pub fn exists(tx: &mut ReadTx<'_>, key: &PublicKey) -> StoreResult<bool> {
    let same = ssh_keys::table.filter(ssh_keys::sha256.eq(&key.sha256).or(ssh_keys::md5.eq(&key.md5)));
    Ok(diesel::select(diesel::dsl::exists(same)).get_result(tx.conn)?)
}

/// How many keys a user has.
pub fn count(tx: &mut ReadTx<'_>, user: UserId) -> StoreResult<i64> {
    Ok(ssh_keys::table.filter(ssh_keys::user_id.eq(user.get())).count().get_result(tx.conn)?)
}

/// One page of the keys of a user, by id.
pub fn list(tx: &mut ReadTx<'_>, user: UserId, request: PageRequest) -> StoreResult<Page<SshKey>> {
    let total = count(tx, user)?;
    page(request, total, |limit, offset| {
        let rows: Vec<SshKeyRow> = ssh_keys::table
            .filter(ssh_keys::user_id.eq(user.get()))
            .order(ssh_keys::id.asc())
            .limit(limit)
            .offset(offset)
            .select(SshKeyRow::as_select())
            .load(tx.conn)?;
        rows.into_iter().map(TryInto::try_into).collect()
    })
}

/// Stores a new key, whose id is ignored, and yields its id.
pub fn insert(tx: &mut WriteTx<'_>, key: &SshKey, public: &PublicKey) -> StoreResult<SshKeyId> {
    let id = diesel::insert_into(ssh_keys::table)
        .values((
            ssh_keys::user_id.eq(key.user.get()),
            ssh_keys::title.eq(&key.title),
            ssh_keys::key_text.eq(&key.text),
            ssh_keys::md5.eq(&public.md5),
            ssh_keys::sha256.eq(&public.sha256),
            ssh_keys::usage_type.eq(key.usage.as_str()),
            ssh_keys::expires_at.eq(key.expires_at.map(naive)),
            ssh_keys::created_at.eq(naive(key.created_at)),
        ))
        .returning(ssh_keys::id)
        .get_result(tx.conn)?;
    Ok(SshKeyId::new(id))
}

/// Notes that Git was used with these keys.
pub fn mark_used(tx: &mut WriteTx<'_>, ids: &[SshKeyId], at: Timestamp) -> StoreResult<()> {
    diesel::update(ssh_keys::table.filter(in_ids(ssh_keys::id, ids, SshKeyId::get)))
        .set(ssh_keys::last_used_at.eq(naive(at)))
        .execute(tx.conn)?;
    Ok(())
}

/// Removes a key.
pub fn delete(tx: &mut WriteTx<'_>, id: SshKeyId) -> StoreResult<()> {
    diesel::delete(ssh_keys::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}

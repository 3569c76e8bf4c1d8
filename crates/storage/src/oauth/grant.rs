//! The grants of applications.

use diesel::prelude::*;
use tenon_domain::id::{ApplicationId, GrantId, UserId};
use tenon_domain::oauth::{Code, CodeChallenge, Grant, RefreshTokens, ReplacedRefresh};
use tenon_domain::time::Timestamp;
use tenon_domain::token::Scopes;

use crate::db::connection::Backend;
use crate::db::row::{Moment, naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::oauth_grants;

#[derive(Queryable, Selectable)]
#[diesel(table_name = oauth_grants)]
struct GrantRow {
    id: i64,
    application_id: Option<i64>,
    user_id: Option<i64>,
    scopes: String,
    code_used: bool,
    redirect_uri: Option<String>,
    code_challenge: Option<String>,
    code_challenge_method: Option<String>,
    nonce: Option<String>,
    revoked: bool,
    expires_at: Moment,
    created_at: Moment,
}

impl TryFrom<GrantRow> for Grant {
    type Error = StoreError;

    fn try_from(row: GrantRow) -> StoreResult<Self> {
        let scopes = |text: &str| Scopes::parse(text).ok().filter(|scopes| !scopes.is_empty());
        let method = row.code_challenge_method.as_deref();
        let challenge = match &row.code_challenge {
            None => None,
            // A challenge that cannot be read must not become none.
            Some(value) => Some(parsed("oauth_grants", "code_challenge", row.id, value, |value| {
                CodeChallenge::parse(value, method).ok()
            })?),
        };
        let code =
            row.redirect_uri.map(|uri| Code { redirect_uri: uri, challenge, nonce: row.nonce, used: row.code_used });
        Ok(Self {
            id: GrantId::new(row.id),
            application: row.application_id.map(ApplicationId::new),
            user: row.user_id.map(UserId::new),
            scopes: parsed("oauth_grants", "scopes", row.id, &row.scopes, scopes)?,
            code,
            revoked: row.revoked,
            expires_at: utc(row.expires_at),
            created_at: utc(row.created_at),
        })
    }
}

/// The digest that identifies a grant, beside its id. All marks are digests.
#[derive(Debug, Clone, Copy)]
pub enum Mark<'a> {
    /// Of its authorization code.
    Code(&'a str),
    /// Of what all its refresh tokens begin with.
    Family(&'a str),
    /// Of the access token of an application that acts for itself.
    Access(&'a str),
}

/// The grant with this mark, and its refresh tokens.
pub fn by_mark(tx: &mut ReadTx<'_>, mark: Mark<'_>) -> StoreResult<Option<(Grant, RefreshTokens)>> {
    let query = oauth_grants::table.into_boxed::<Backend>();
    let query = match mark {
        Mark::Code(digest) => query.filter(oauth_grants::code_digest.eq(digest)),
        Mark::Family(digest) => query.filter(oauth_grants::family_digest.eq(digest)),
        Mark::Access(digest) => query.filter(oauth_grants::access_digest.eq(digest)),
    };
    let columns = (GrantRow::as_select(), oauth_grants::refresh_digest, oauth_grants::replaced_refreshes);
    let found: Option<(GrantRow, Option<String>, String)> = query.select(columns).first(tx.conn).optional()?;
    let Some((row, current, replaced)) = found else { return Ok(None) };
    let replaced = parsed("oauth_grants", "replaced_refreshes", row.id, &replaced, replaced_from)?;
    Ok(Some((row.try_into()?, RefreshTokens { current, replaced })))
}

/// The stored form of tokens that were replaced: `digest:microseconds`, separated by spaces.
fn replaced_text(replaced: &[ReplacedRefresh]) -> String {
    let words: Vec<String> =
        replaced.iter().map(|known| format!("{}:{}", known.digest, known.at.timestamp_micros())).collect();
    words.join(" ")
}

fn replaced_from(text: &str) -> Option<Vec<ReplacedRefresh>> {
    let one = |word: &str| {
        let (digest, micros) = word.split_once(':')?;
        let at = Timestamp::from_timestamp_micros(micros.parse().ok()?)?;
        Some(ReplacedRefresh { digest: digest.to_owned(), at })
    };
    text.split_ascii_whitespace().map(one).collect()
}

/// The grant of that id.
pub fn find(tx: &mut ReadTx<'_>, id: GrantId) -> StoreResult<Option<Grant>> {
    let row: Option<GrantRow> =
        oauth_grants::table.find(id.get()).select(GrantRow::as_select()).first(tx.conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

/// True if a user has granted exactly `scopes` to an application, and the grant is in force.
pub fn is_granted(
    tx: &mut ReadTx<'_>,
    application: ApplicationId,
    user: UserId,
    scopes: &Scopes,
    now: Timestamp,
) -> StoreResult<bool> {
    let found: Option<i64> = oauth_grants::table
        .filter(oauth_grants::application_id.eq(application.get()))
        .filter(oauth_grants::user_id.eq(user.get()))
        .filter(oauth_grants::scopes.eq(scopes.to_string()))
        .filter(oauth_grants::revoked.eq(false))
        .filter(oauth_grants::expires_at.gt(naive(now)))
        .filter(oauth_grants::code_digest.is_null().or(oauth_grants::code_used.eq(true)))
        .select(oauth_grants::id)
        .first(tx.conn)
        .optional()?;
    Ok(found.is_some())
}

/// The grants of a user that are in force, newest first; `most` at most. Those whose code was never used are left out.
pub fn of_user(tx: &mut ReadTx<'_>, user: UserId, most: i64, now: Timestamp) -> StoreResult<Vec<Grant>> {
    let rows: Vec<GrantRow> = oauth_grants::table
        .filter(oauth_grants::user_id.eq(user.get()))
        .filter(oauth_grants::application_id.is_not_null())
        .filter(oauth_grants::revoked.eq(false))
        .filter(oauth_grants::expires_at.gt(naive(now)))
        .filter(oauth_grants::code_digest.is_null().or(oauth_grants::code_used.eq(true)))
        .order((oauth_grants::created_at.desc(), oauth_grants::id.desc()))
        .limit(most)
        .select(GrantRow::as_select())
        .load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// The grants of a user to one application that are not revoked, at most `most` of them.
pub fn of_user_to(tx: &mut ReadTx<'_>, user: UserId, application: ApplicationId, most: i64) -> StoreResult<Vec<Grant>> {
    let rows: Vec<GrantRow> = oauth_grants::table
        .filter(oauth_grants::user_id.eq(user.get()))
        .filter(oauth_grants::application_id.eq(application.get()))
        .filter(oauth_grants::revoked.eq(false))
        .order(oauth_grants::id)
        .limit(most)
        .select(GrantRow::as_select())
        .load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// Stores a new grant, with the digest of its code if it has one, and yields its id; the id in `grant` is ignored.
pub fn insert(tx: &mut WriteTx<'_>, grant: &Grant, code_digest: Option<&str>) -> StoreResult<GrantId> {
    let code = grant.code.as_ref();
    let challenge = code.and_then(|code| code.challenge.as_ref());
    let id = diesel::insert_into(oauth_grants::table)
        .values((
            oauth_grants::application_id.eq(grant.application.map(ApplicationId::get)),
            oauth_grants::user_id.eq(grant.user.map(UserId::get)),
            oauth_grants::scopes.eq(grant.scopes.to_string()),
            oauth_grants::code_digest.eq(code_digest),
            oauth_grants::redirect_uri.eq(code.map(|code| code.redirect_uri.as_str())),
            oauth_grants::code_challenge.eq(challenge.map(CodeChallenge::value)),
            oauth_grants::code_challenge_method.eq(challenge.map(CodeChallenge::method)),
            oauth_grants::nonce.eq(code.and_then(|code| code.nonce.as_deref())),
            oauth_grants::revoked.eq(grant.revoked),
            oauth_grants::expires_at.eq(naive(grant.expires_at)),
            oauth_grants::created_at.eq(naive(grant.created_at)),
        ))
        .returning(oauth_grants::id)
        .get_result(tx.conn)?;
    Ok(GrantId::new(id))
}

/// Notes that the code of a grant was exchanged.
pub fn mark_code_used(tx: &mut WriteTx<'_>, id: GrantId) -> StoreResult<()> {
    diesel::update(oauth_grants::table.find(id.get())).set(oauth_grants::code_used.eq(true)).execute(tx.conn)?;
    Ok(())
}

/// Sets the refresh tokens of a grant, and when it ends unless it is refreshed.
pub fn set_refresh(
    tx: &mut WriteTx<'_>,
    id: GrantId,
    family_digest: &str,
    refresh: &RefreshTokens,
    expires_at: Timestamp,
) -> StoreResult<()> {
    diesel::update(oauth_grants::table.find(id.get()))
        .set((
            oauth_grants::family_digest.eq(family_digest),
            oauth_grants::refresh_digest.eq(refresh.current.as_deref()),
            oauth_grants::replaced_refreshes.eq(replaced_text(&refresh.replaced)),
            oauth_grants::expires_at.eq(naive(expires_at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Sets the digest of the access token of an application that acts for itself.
pub fn set_access(tx: &mut WriteTx<'_>, id: GrantId, digest: &str) -> StoreResult<()> {
    diesel::update(oauth_grants::table.find(id.get())).set(oauth_grants::access_digest.eq(digest)).execute(tx.conn)?;
    Ok(())
}

/// Withdraws a grant. Its row stays until `expires_at`, so that its tokens are known as withdrawn.
pub fn revoke(tx: &mut WriteTx<'_>, id: GrantId, expires_at: Timestamp) -> StoreResult<()> {
    diesel::update(oauth_grants::table.find(id.get()))
        .set((oauth_grants::revoked.eq(true), oauth_grants::expires_at.eq(naive(expires_at))))
        .execute(tx.conn)?;
    Ok(())
}

/// Removes all grants of a user to an application but the newest `keep`, with their tokens.
pub fn delete_oldest(
    tx: &mut WriteTx<'_>,
    application: Option<ApplicationId>,
    user: Option<UserId>,
    keep: i64,
) -> StoreResult<()> {
    let query = oauth_grants::table.into_boxed::<Backend>();
    let query = match application {
        Some(id) => query.filter(oauth_grants::application_id.eq(id.get())),
        None => query.filter(oauth_grants::application_id.is_null()),
    };
    let query = match user {
        Some(id) => query.filter(oauth_grants::user_id.eq(id.get())),
        None => query.filter(oauth_grants::user_id.is_null()),
    };
    let beyond: Vec<i64> =
        query.order(oauth_grants::id.desc()).offset(keep).limit(100).select(oauth_grants::id).load(tx.conn)?;
    if !beyond.is_empty() {
        diesel::delete(oauth_grants::table.filter(oauth_grants::id.eq_any(beyond))).execute(tx.conn)?;
    }
    Ok(())
}

/// Removes grants that have ended, with their tokens.
pub fn purge_expired(tx: &mut WriteTx<'_>, now: Timestamp) -> StoreResult<usize> {
    Ok(diesel::delete(oauth_grants::table.filter(oauth_grants::expires_at.le(naive(now)))).execute(tx.conn)?)
}

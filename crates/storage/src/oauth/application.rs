//! Applications.

use diesel::prelude::*;
use tenon_domain::id::{ApplicationId, UserId};
use tenon_domain::oauth::{Application, ClientKind};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;
use tenon_domain::token::Scopes;

use crate::db::paging::page;
use crate::db::row::{Moment, naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::oauth_applications;

#[derive(Queryable, Selectable)]
#[diesel(table_name = oauth_applications)]
struct ApplicationRow {
    id: i64,
    uid: String,
    name: String,
    redirect_uri: String,
    scopes: String,
    confidential: bool,
    trusted: bool,
    created_at: Moment,
    updated_at: Moment,
    owner_id: Option<i64>,
}

impl TryFrom<ApplicationRow> for Application {
    type Error = StoreError;

    fn try_from(row: ApplicationRow) -> StoreResult<Self> {
        let scopes = |text: &str| Scopes::parse(text).ok().filter(|scopes| !scopes.is_empty());
        Ok(Self {
            id: ApplicationId::new(row.id),
            scopes: parsed("oauth_applications", "scopes", row.id, &row.scopes, scopes)?,
            uid: row.uid,
            owner: row.owner_id.map(UserId::new),
            name: row.name,
            redirect_uri: row.redirect_uri,
            kind: if row.confidential { ClientKind::Confidential } else { ClientKind::Public },
            trusted: row.trusted,
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        })
    }
}

/// The application of that id.
pub fn find(tx: &mut ReadTx<'_>, id: ApplicationId) -> StoreResult<Option<Application>> {
    let row: Option<ApplicationRow> =
        oauth_applications::table.find(id.get()).select(ApplicationRow::as_select()).first(tx.conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

/// The applications of these ids that exist, in no order.
pub fn by_ids(tx: &mut ReadTx<'_>, ids: &[ApplicationId]) -> StoreResult<Vec<Application>> {
    let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
    let rows: Vec<ApplicationRow> = oauth_applications::table
        .filter(oauth_applications::id.eq_any(ids))
        .select(ApplicationRow::as_select())
        .load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// The application that presents itself under `uid`, with the digest of its secret.
pub fn by_uid(tx: &mut ReadTx<'_>, uid: &str) -> StoreResult<Option<(Application, String)>> {
    let found: Option<(ApplicationRow, String)> = oauth_applications::table
        .filter(oauth_applications::uid.eq(uid))
        .select((ApplicationRow::as_select(), oauth_applications::secret_digest))
        .first(tx.conn)
        .optional()?;
    found.map(|(row, digest)| Ok((row.try_into()?, digest))).transpose()
}

/// One page of all applications, by id.
pub fn list(tx: &mut ReadTx<'_>, request: PageRequest) -> StoreResult<Page<Application>> {
    let total = oauth_applications::table.count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let rows: Vec<ApplicationRow> = oauth_applications::table
            .order(oauth_applications::id)
            .limit(limit)
            .offset(offset)
            .select(ApplicationRow::as_select())
            .load(tx.conn)?;
        rows.into_iter().map(TryInto::try_into).collect()
    })
}

/// One page of the applications of a user, by id.
pub fn of_owner(tx: &mut ReadTx<'_>, owner: UserId, request: PageRequest) -> StoreResult<Page<Application>> {
    let total = count_of(tx, Some(owner))?;
    page(request, total, |limit, offset| {
        let rows: Vec<ApplicationRow> = oauth_applications::table
            .filter(oauth_applications::owner_id.eq(owner.get()))
            .order(oauth_applications::id)
            .limit(limit)
            .offset(offset)
            .select(ApplicationRow::as_select())
            .load(tx.conn)?;
        rows.into_iter().map(TryInto::try_into).collect()
    })
}

/// How many applications a user has; those of the server if `None`.
pub fn count_of(tx: &mut ReadTx<'_>, owner: Option<UserId>) -> StoreResult<i64> {
    let count = oauth_applications::table.count();
    Ok(match owner {
        Some(owner) => count.filter(oauth_applications::owner_id.eq(owner.get())).get_result(tx.conn)?,
        None => count.filter(oauth_applications::owner_id.is_null()).get_result(tx.conn)?,
    })
}

/// Stores a new application and yields its id; the id in `application` is ignored.
pub fn insert(tx: &mut WriteTx<'_>, application: &Application, secret_digest: &str) -> StoreResult<ApplicationId> {
    let id = diesel::insert_into(oauth_applications::table)
        .values((
            oauth_applications::uid.eq(&application.uid),
            oauth_applications::secret_digest.eq(secret_digest),
            oauth_applications::name.eq(&application.name),
            oauth_applications::redirect_uri.eq(&application.redirect_uri),
            oauth_applications::scopes.eq(application.scopes.to_string()),
            oauth_applications::confidential.eq(application.kind == ClientKind::Confidential),
            oauth_applications::trusted.eq(application.trusted),
            oauth_applications::created_at.eq(naive(application.created_at)),
            oauth_applications::updated_at.eq(naive(application.updated_at)),
            oauth_applications::owner_id.eq(application.owner.map(UserId::get)),
        ))
        .returning(oauth_applications::id)
        .get_result(tx.conn)?;
    Ok(ApplicationId::new(id))
}

/// Writes what can be changed of an application: name, addresses, scopes, whether it can keep a secret.
pub fn update(tx: &mut WriteTx<'_>, application: &Application) -> StoreResult<()> {
    diesel::update(oauth_applications::table.find(application.id.get()))
        .set((
            oauth_applications::name.eq(&application.name),
            oauth_applications::redirect_uri.eq(&application.redirect_uri),
            oauth_applications::scopes.eq(application.scopes.to_string()),
            oauth_applications::confidential.eq(application.kind == ClientKind::Confidential),
            oauth_applications::updated_at.eq(naive(application.updated_at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Replaces the secret.
pub fn set_secret(tx: &mut WriteTx<'_>, id: ApplicationId, digest: &str, at: Timestamp) -> StoreResult<()> {
    diesel::update(oauth_applications::table.find(id.get()))
        .set((oauth_applications::secret_digest.eq(digest), oauth_applications::updated_at.eq(naive(at))))
        .execute(tx.conn)?;
    Ok(())
}

/// Removes an application, with everything that was granted to it.
pub fn delete(tx: &mut WriteTx<'_>, id: ApplicationId) -> StoreResult<()> {
    diesel::delete(oauth_applications::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}

//! Deploy tokens of projects and groups.

use chrono::{NaiveDate, NaiveDateTime};
use diesel::prelude::*;
use tenon_domain::container::Container;
use tenon_domain::deploy_token::{DeployScope, DeployToken};
use tenon_domain::id::DeployTokenId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Date;

use crate::db::connection::Backend;
use crate::db::paging::page;
use crate::db::row::{naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::rows::container::{columns, container};
use crate::schema::deploy_tokens;

#[derive(Queryable, Selectable)]
#[diesel(table_name = deploy_tokens)]
struct TokenRow {
    id: i64,
    project_id: Option<i64>,
    namespace_id: Option<i64>,
    name: String,
    username: Option<String>,
    scopes: String,
    expires_at: Option<NaiveDate>,
    created_at: NaiveDateTime,
}

impl TryFrom<TokenRow> for DeployToken {
    type Error = StoreError;

    fn try_from(row: TokenRow) -> StoreResult<Self> {
        let scope = |text: &str| parsed("deploy_tokens", "scopes", row.id, text, DeployScope::parse);
        Ok(Self {
            id: DeployTokenId::new(row.id),
            container: container("deploy_tokens", row.id, row.project_id, row.namespace_id)?,
            scopes: row.scopes.split(' ').map(scope).collect::<StoreResult<_>>()?,
            name: row.name,
            chosen_username: row.username,
            expires_at: row.expires_at,
            created_at: utc(row.created_at),
        })
    }
}

#[derive(Insertable)]
#[diesel(table_name = deploy_tokens)]
struct TokenColumns<'a> {
    project_id: Option<i64>,
    namespace_id: Option<i64>,
    name: &'a str,
    username: Option<&'a str>,
    digest: &'a str,
    scopes: String,
    expires_at: Option<NaiveDate>,
    created_at: NaiveDateTime,
}

type Query = deploy_tokens::BoxedQuery<'static, Backend>;

/// The tokens of a project or group, or, if that is `None`, of all of them.
fn of(container: Option<Container>) -> Query {
    let all = deploy_tokens::table.into_boxed::<Backend>();
    match container {
        Some(Container::Project(id)) => all.filter(deploy_tokens::project_id.eq(id.get())),
        Some(Container::Group(id)) => all.filter(deploy_tokens::namespace_id.eq(id.get())),
        None => all,
    }
}

fn load(tx: &mut ReadTx<'_>, query: Query) -> StoreResult<Vec<DeployToken>> {
    let rows: Vec<TokenRow> = query.select(TokenRow::as_select()).load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// One page of the tokens of a project or group, or of all of them, by id. `active` asks for those that work `today`, or for
/// the others.
pub fn list(
    tx: &mut ReadTx<'_>,
    container: Option<Container>,
    active: Option<bool>,
    today: Date,
    request: PageRequest,
) -> StoreResult<Page<DeployToken>> {
    let matching = || match active {
        None => of(container),
        Some(true) => of(container).filter(deploy_tokens::expires_at.is_null().or(deploy_tokens::expires_at.ge(today))),
        Some(false) => of(container).filter(deploy_tokens::expires_at.lt(today)),
    };
    let total = matching().count().get_result(tx.conn)?;
    page(request, total, |limit, offset| load(tx, matching().order(deploy_tokens::id).limit(limit).offset(offset)))
}

/// How many tokens a project or group has of its own.
pub fn count(tx: &mut ReadTx<'_>, container: Container) -> StoreResult<i64> {
    Ok(of(Some(container)).count().get_result(tx.conn)?)
}

/// The token of that id, if it belongs to the project or group.
pub fn find(tx: &mut ReadTx<'_>, container: Container, id: DeployTokenId) -> StoreResult<Option<DeployToken>> {
    Ok(load(tx, of(Some(container)).filter(deploy_tokens::id.eq(id.get())))?.pop())
}

/// The token whose secret has this digest.
pub fn by_digest(tx: &mut ReadTx<'_>, digest: &str) -> StoreResult<Option<DeployToken>> {
    Ok(load(tx, of(None).filter(deploy_tokens::digest.eq(digest.to_owned())))?.pop())
}

/// Stores a new token, known by the digest of its secret, and yields its id; the id in `token` is ignored.
pub fn insert(tx: &mut WriteTx<'_>, token: &DeployToken, digest: &str) -> StoreResult<DeployTokenId> {
    let (project_id, namespace_id) = columns(token.container);
    let scopes: Vec<&str> = token.scopes.iter().map(|scope| scope.as_str()).collect();
    let row = TokenColumns {
        project_id,
        namespace_id,
        name: &token.name,
        username: token.chosen_username.as_deref(),
        digest,
        scopes: scopes.join(" "),
        expires_at: token.expires_at,
        created_at: naive(token.created_at),
    };
    let id = diesel::insert_into(deploy_tokens::table).values(row).returning(deploy_tokens::id).get_result(tx.conn)?;
    Ok(DeployTokenId::new(id))
}

/// Removes a token.
pub fn delete(tx: &mut WriteTx<'_>, id: DeployTokenId) -> StoreResult<()> {
    diesel::delete(deploy_tokens::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}

//! Access tokens. The secret itself is never here: a digest identifies it.

mod feed;

pub use feed::{delete_feed_token, feed_user, sealed_feed_token, set_feed_token};

use chrono::{NaiveDate, NaiveDateTime};
use diesel::prelude::*;
use tenon_domain::id::{GrantId, TokenId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::{Date, Timestamp};
use tenon_domain::token::{Scopes, Token, TokenKind};
use tenon_domain::user::User;

use crate::db::connection::{Backend, on_each};
use crate::db::expressions::in_ids;
use crate::db::paging::page;
use crate::db::predicate::contains;
use crate::db::row::{Moment, inclusive, naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::rows::user::UserRow;
use crate::schema::{access_revision, projects, tokens, users};

#[derive(Queryable, Selectable)]
#[diesel(table_name = tokens)]
struct TokenRow {
    id: i64,
    user_id: i64,
    kind: String,
    name: String,
    description: Option<String>,
    scopes: String,
    revoked: bool,
    expires_at: Option<NaiveDate>,
    last_used_at: Option<Moment>,
    created_at: Moment,
    ends_at: Option<Moment>,
}

impl TryFrom<TokenRow> for Token {
    type Error = StoreError;

    fn try_from(row: TokenRow) -> StoreResult<Self> {
        Ok(Self {
            id: TokenId::new(row.id),
            user: UserId::new(row.user_id),
            kind: parsed("tokens", "kind", row.id, &row.kind, TokenKind::parse)?,
            scopes: parsed("tokens", "scopes", row.id, &row.scopes, |text| Scopes::parse(text).ok())?,
            name: row.name,
            description: row.description,
            revoked: row.revoked,
            expires_at: row.expires_at,
            ends_at: row.ends_at.map(utc),
            created_at: utc(row.created_at),
            last_used_at: row.last_used_at.map(utc),
        })
    }
}

/// A token that is about to exist. The id in `token` is ignored.
pub struct NewToken<'a> {
    /// The token to be stored.
    pub token: &'a Token,
    /// The digest of its secret.
    pub digest: &'a str,
    /// The encrypted secret, for tokens that may be read back.
    pub sealed_secret: Option<&'a str>,
    /// The grant for which it was issued, if it is an application's.
    pub grant: Option<GrantId>,
}

/// The token with this digest and its user; `None` also for a user who is being removed.
pub fn by_digest(tx: &mut ReadTx<'_>, digest: &str) -> StoreResult<Option<(Token, User)>> {
    // With the revision, which nearly every request needs.
    let revision = access_revision::table.select(access_revision::value).single_value();
    let found: Option<(TokenRow, UserRow, Option<i64>)> = on_each!(tx.conn, c => tokens::table
        .inner_join(users::table.on(users::id.eq(tokens::user_id)))
        .filter(tokens::digest.eq(digest))
        .filter(users::deleting_at.is_null())
        .select((TokenRow::as_select(), UserRow::as_select(), revision))
        .first(c)
        .optional())?;
    let Some((token, user, revision)) = found else { return Ok(None) };
    tx.saw_revision(revision);
    Ok(Some((token.try_into()?, user.try_into()?)))
}

/// The token of that id and kind, with its encrypted secret if one is kept.
pub fn find(tx: &mut ReadTx<'_>, kind: TokenKind, id: TokenId) -> StoreResult<Option<(Token, Option<String>)>> {
    let found: Option<(TokenRow, Option<String>)> = tokens::table
        .find(id.get())
        .filter(tokens::kind.eq(kind.as_str()))
        .select((TokenRow::as_select(), tokens::sealed_secret))
        .first(tx.conn)
        .optional()?;
    found.map(|(row, sealed)| Ok((row.try_into()?, sealed))).transpose()
}

/// Which tokens of a kind a list has.
#[derive(Debug, Clone)]
pub struct TokenFilter {
    /// Of this kind.
    pub kind: TokenKind,
    /// Of this user.
    pub user: Option<UserId>,
    /// Of these users.
    pub users: Option<Vec<UserId>>,
    /// Working on `today`, or not.
    pub active: Option<bool>,
    /// Withdrawn, or not.
    pub revoked: Option<bool>,
    /// Made then or later.
    pub created_after: Option<Timestamp>,
    /// Made then or earlier.
    pub created_before: Option<Timestamp>,
    /// Last used then or later.
    pub last_used_after: Option<Timestamp>,
    /// Last used then or earlier.
    pub last_used_before: Option<Timestamp>,
    /// Ends then or later.
    pub expires_after: Option<Date>,
    /// Ends then or earlier.
    pub expires_before: Option<Date>,
    /// Part of the name, whatever the case.
    pub search: Option<String>,
    /// The present day: tokens that expire on or before it have ended.
    pub today: NaiveDate,
}

impl TokenFilter {
    /// All tokens of a kind.
    #[must_use]
    pub fn new(kind: TokenKind, today: NaiveDate) -> Self {
        Self {
            kind,
            user: None,
            users: None,
            active: None,
            revoked: None,
            created_after: None,
            created_before: None,
            last_used_after: None,
            last_used_before: None,
            expires_after: None,
            expires_before: None,
            search: None,
            today,
        }
    }
}

/// The order of a list of tokens; ties go by id in the same direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TokenOrder {
    /// Id.
    #[default]
    Id,
    /// Date of creation.
    CreatedAt,
    /// End.
    ExpiresAt,
    /// Last use.
    LastUsedAt,
    /// Name.
    Name,
}

type Query<'a> = tokens::BoxedQuery<'a, Backend>;

fn filtered(filter: &TokenFilter) -> Query<'_> {
    let mut query = tokens::table.filter(tokens::kind.eq(filter.kind.as_str())).into_boxed::<Backend>();
    if let Some(user) = filter.user {
        query = query.filter(tokens::user_id.eq(user.get()));
    }
    if let Some(users) = &filter.users {
        query = query.filter(in_ids(tokens::user_id, users, UserId::get));
    }
    match filter.active {
        Some(true) => {
            query = query.filter(tokens::revoked.eq(false));
            query = query.filter(tokens::expires_at.is_null().or(tokens::expires_at.gt(filter.today)));
        }
        Some(false) => {
            let dead = tokens::revoked.eq(true).or(tokens::expires_at.le(filter.today).assume_not_null());
            query = query.filter(dead);
        }
        None => {}
    }
    if let Some(revoked) = filter.revoked {
        query = query.filter(tokens::revoked.eq(revoked));
    }
    macro_rules! bound {
        ($field:ident, $column:ident, $compare:ident, $convert:expr) => {
            if let Some(bound) = filter.$field {
                query = query.filter(tokens::$column.$compare($convert(bound)));
            }
        };
    }
    bound!(created_after, created_at, ge, naive);
    bound!(created_before, created_at, le, inclusive);
    bound!(last_used_after, last_used_at, ge, naive);
    bound!(last_used_before, last_used_at, le, inclusive);
    bound!(expires_after, expires_at, ge, std::convert::identity);
    bound!(expires_before, expires_at, le, std::convert::identity);
    if let Some(text) = &filter.search {
        query = query.filter(contains(tokens::name, &text.to_lowercase()));
    }
    query
}

/// How many tokens match.
pub fn count(tx: &mut ReadTx<'_>, filter: &TokenFilter) -> StoreResult<i64> {
    Ok(filtered(filter).count().get_result(tx.conn)?)
}

/// One page of the tokens that match, each with its encrypted secret if one is kept.
pub fn list(
    tx: &mut ReadTx<'_>,
    filter: &TokenFilter,
    order: TokenOrder,
    descending: bool,
    request: PageRequest,
) -> StoreResult<Page<(Token, Option<String>)>> {
    let total = count(tx, filter)?;
    page(request, total, |limit, offset| {
        let query = filtered(filter);
        macro_rules! by {
            ($column:expr) => {
                if descending {
                    query.order(($column.desc(), tokens::id.desc()))
                } else {
                    query.order(($column.asc(), tokens::id.asc()))
                }
            };
        }
        let query = match order {
            TokenOrder::Id if descending => query.order(tokens::id.desc()),
            TokenOrder::Id => query.order(tokens::id.asc()),
            TokenOrder::CreatedAt => by!(tokens::created_at),
            TokenOrder::ExpiresAt => by!(tokens::expires_at),
            TokenOrder::LastUsedAt => by!(tokens::last_used_at),
            TokenOrder::Name => by!(tokens::name),
        };
        let rows: Vec<(TokenRow, Option<String>)> =
            query.limit(limit).offset(offset).select((TokenRow::as_select(), tokens::sealed_secret)).load(tx.conn)?;
        rows.into_iter().map(|(row, sealed)| Ok((row.try_into()?, sealed))).collect()
    })
}

/// Stores a new token and yields its id.
pub fn insert(tx: &mut WriteTx<'_>, new: &NewToken<'_>) -> StoreResult<TokenId> {
    let token = new.token;
    let id = diesel::insert_into(tokens::table)
        .values((
            tokens::user_id.eq(token.user.get()),
            tokens::kind.eq(token.kind.as_str()),
            tokens::name.eq(&token.name),
            tokens::description.eq(&token.description),
            tokens::scopes.eq(token.scopes.to_string()),
            tokens::digest.eq(new.digest),
            tokens::sealed_secret.eq(new.sealed_secret),
            tokens::revoked.eq(token.revoked),
            tokens::expires_at.eq(token.expires_at),
            tokens::ends_at.eq(token.ends_at.map(naive)),
            tokens::grant_id.eq(new.grant.map(GrantId::get)),
            tokens::created_at.eq(naive(token.created_at)),
            tokens::updated_at.eq(naive(token.created_at)),
        ))
        .returning(tokens::id)
        .get_result(tx.conn)?;
    Ok(TokenId::new(id))
}

/// Withdraws a token.
pub fn revoke(tx: &mut WriteTx<'_>, id: TokenId, at: Timestamp) -> StoreResult<()> {
    diesel::update(tokens::table.find(id.get()))
        .set((tokens::revoked.eq(true), tokens::updated_at.eq(naive(at))))
        .execute(tx.conn)?;
    Ok(())
}

/// Notes which token took the place of another.
pub fn set_successor(tx: &mut WriteTx<'_>, id: TokenId, successor: TokenId) -> StoreResult<()> {
    diesel::update(tokens::table.find(id.get())).set(tokens::replaced_by_id.eq(successor.get())).execute(tx.conn)?;
    Ok(())
}

/// Withdraws every token that came out of rotating this one.
pub fn revoke_successors(tx: &mut WriteTx<'_>, id: TokenId, at: Timestamp) -> StoreResult<()> {
    let mut current = id.get();
    // Each token has one successor at most, and a new one has none: the chain ends.
    loop {
        let next: Option<Option<i64>> =
            tokens::table.find(current).select(tokens::replaced_by_id).first(tx.conn).optional()?;
        let Some(next) = next.flatten() else { return Ok(()) };
        revoke(tx, TokenId::new(next), at)?;
        current = next;
    }
}

/// Notes that these tokens were used.
pub fn mark_used(tx: &mut WriteTx<'_>, ids: &[TokenId], at: Timestamp) -> StoreResult<()> {
    let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
    diesel::update(tokens::table.filter(tokens::id.eq_any(ids)))
        .set(tokens::last_used_at.eq(naive(at)))
        .execute(tx.conn)?;
    Ok(())
}

/// The token of an application with this digest, and what it was issued for.
pub fn granted(tx: &mut ReadTx<'_>, digest: &str) -> StoreResult<Option<(Token, GrantId)>> {
    let found: Option<(TokenRow, i64)> = tokens::table
        .filter(tokens::digest.eq(digest))
        .filter(tokens::grant_id.is_not_null())
        .select((TokenRow::as_select(), tokens::grant_id.assume_not_null()))
        .first(tx.conn)
        .optional()?;
    found.map(|(token, grant)| Ok((token.try_into()?, GrantId::new(grant)))).transpose()
}

/// Withdraws the token of a grant. Those that were withdrawn before are removed: a grant has two rows at most.
pub fn revoke_of_grant(tx: &mut WriteTx<'_>, grant: GrantId, at: Timestamp) -> StoreResult<()> {
    let of_grant = || tokens::table.filter(tokens::grant_id.eq(grant.get()));
    diesel::delete(of_grant().filter(tokens::revoked.eq(true))).execute(tx.conn)?;
    diesel::update(of_grant()).set((tokens::revoked.eq(true), tokens::updated_at.eq(naive(at)))).execute(tx.conn)?;
    Ok(())
}

/// Removes the tokens of applications that ended at `moment` or earlier.
pub fn purge_ended(tx: &mut WriteTx<'_>, moment: Timestamp) -> StoreResult<usize> {
    let ended = tokens::table.filter(tokens::ends_at.le(naive(moment)).assume_not_null());
    Ok(diesel::delete(ended).execute(tx.conn)?)
}

/// Removes the tokens of a kind that were withdrawn, or ended, at `moment` or earlier.
pub fn purge_dead(tx: &mut WriteTx<'_>, kind: TokenKind, moment: Timestamp) -> StoreResult<usize> {
    let withdrawn = tokens::revoked.eq(true).and(tokens::updated_at.le(naive(moment)));
    let ended = tokens::expires_at.le(moment.date_naive()).assume_not_null();
    // A token that was made dead is kept as long.
    let ended = ended.and(tokens::created_at.le(naive(moment)));
    let dead = tokens::table.filter(tokens::kind.eq(kind.as_str())).filter(withdrawn.or(ended));
    Ok(diesel::delete(dead).execute(tx.conn)?)
}

/// When a token last changed: its making or its withdrawal.
pub fn updated_at(tx: &mut ReadTx<'_>, id: TokenId) -> StoreResult<Option<Timestamp>> {
    let at: Option<NaiveDateTime> =
        tokens::table.find(id.get()).select(tokens::updated_at).first(tx.conn).optional()?;
    Ok(at.map(utc))
}

/// Any encrypted secret, to try the server's key on.
pub fn any_sealed_secret(tx: &mut ReadTx<'_>) -> StoreResult<Option<String>> {
    let tokens: Option<Option<String>> = tokens::table
        .filter(tokens::sealed_secret.is_not_null())
        .select(tokens::sealed_secret)
        .first(tx.conn)
        .optional()?;
    match tokens.flatten() {
        Some(sealed) => Ok(Some(sealed)),
        None => Ok(projects::table.select(projects::sealed_runners_token).first(tx.conn).optional()?),
    }
}

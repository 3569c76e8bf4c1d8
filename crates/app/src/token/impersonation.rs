//! Impersonation tokens. Administrators only, which is the routes' guard. Their secrets may be read back, so they are
//! kept sealed.

use tenon_auth::Secret;
use tenon_domain::event::EventKind;
use tenon_domain::id::{TokenId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::{Date, Timestamp};
use tenon_domain::token::{Scope, Scopes, Token, TokenKind};
use tenon_domain::user::UserAction;
use tenon_storage::token::{self, TokenFilter, TokenOrder};

use super::TokenView;
use super::create::{NewToken, issue};
use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::precondition::check_unmodified;

/// The impersonation tokens of a user, by id; only working or only dead ones if `active` says so.
pub fn impersonations(
    query: &mut Query<'_>,
    user: UserId,
    active: Option<bool>,
    page: PageRequest,
) -> Result<Page<TokenView>, AppError> {
    query.account(user, UserAction::Administer)?;
    let kind = TokenKind::Impersonation;
    let filter = TokenFilter { user: Some(user), active, ..TokenFilter::new(kind, query.today()) };
    let found = token::list(&mut query.tx, &filter, TokenOrder::Id, false, page)?;
    let items = found.items.into_iter().map(|(token, sealed)| opened(query, token, sealed.as_deref()));
    Ok(Page { items: items.collect::<Result<_, _>>()?, total: found.total, request: found.request })
}

/// One impersonation token of a user.
pub fn impersonation(query: &mut Query<'_>, user: UserId, id: TokenId) -> Result<TokenView, AppError> {
    query.account(user, UserAction::Administer)?;
    let (token, sealed) = find(query, user, id)?;
    opened(query, token, sealed.as_deref())
}

/// Makes an impersonation token, with any scopes that a personal token may have but `sudo`: it can never impersonate in turn.
/// Fails with a scope that is unknown.
pub fn create_impersonation(
    command: &mut Command<'_>,
    user: UserId,
    name: String,
    scopes: &[String],
    expires_at: Option<Date>,
) -> Result<TokenView, AppError> {
    super::check_person(command, user)?;
    let granted: Option<Vec<Scope>> =
        scopes.iter().map(|name| Scope::parse(name).filter(|scope| *scope != Scope::Sudo)).collect();
    let granted = granted.ok_or_else(|| AppError::invalid("scopes", "can only contain available scopes"))?;
    let kind = TokenKind::Impersonation;
    let scopes = Scopes::new(granted);
    issue(command, NewToken { user, kind, name, description: None, scopes, expires_at, secret: None })
}

/// Withdraws an impersonation token; one that is dead already stays dead.
pub fn revoke_impersonation(
    command: &mut Command<'_>,
    user: UserId,
    id: TokenId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let mut query = command.query();
    query.account(user, UserAction::Administer)?;
    let (token, _) = find(&mut query, user, id)?;
    revoke(command, &token, unmodified_since)
}

/// Withdraws a token.
pub(crate) fn revoke(
    command: &mut Command<'_>,
    token: &Token,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    if let Some(updated_at) = token::updated_at(&mut command.tx, token.id)? {
        check_unmodified(updated_at, unmodified_since)?;
    }
    let now = command.now;
    token::revoke(&mut command.tx, token.id, now)?;
    let event = command.event(EventKind::TokenRevoked).user(token.user);
    command.append(&event)
}

fn find(query: &mut Query<'_>, user: UserId, id: TokenId) -> Result<(Token, Option<String>), AppError> {
    let found = token::find(&mut query.tx, TokenKind::Impersonation, id)?;
    let own = found.filter(|(token, _)| token.user == user);
    own.ok_or(AppError::NotFound(Missing::ImpersonationToken))
}

fn opened(query: &Query<'_>, token: Token, sealed: Option<&str>) -> Result<TokenView, AppError> {
    let open = |sealed: &str| query.app.vault().open(sealed).map_err(AppError::internal);
    let secret = sealed.map(open).transpose()?.map(Secret::given);
    Ok(TokenView { active: token.is_active(query.now), token, secret })
}

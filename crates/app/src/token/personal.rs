//! Personal access tokens.

use tenon_domain::id::{TokenId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::refusal::AccessRefusal;
use tenon_domain::time::{Date, Days, Timestamp};
use tenon_domain::token::{Scope, Scopes, Token, TokenKind, TokenState};
use tenon_storage::token::{self, TokenFilter, TokenOrder};

use super::TokenView;
use super::create::{NewToken, issue, last_end};
use super::impersonation::revoke;
use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::account::check_room;
use crate::shared::access::account_removal;

/// A request for personal access tokens.
#[derive(Debug, Clone, Default)]
pub struct ListTokens {
    /// Of this user; administrators may name any.
    pub user: Option<UserId>,
    /// Working or dead.
    pub active: Option<bool>,
    /// Withdrawn or not.
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
    /// Part of the name.
    pub search: Option<String>,
    /// The order of the list.
    pub order_by: TokenOrder,
    /// Falling instead of rising.
    pub descending: bool,
    /// Which page.
    pub page: PageRequest,
}

impl ListTokens {
    /// The filter of this request for tokens of a kind, of all users.
    pub(crate) fn filter(&self, kind: TokenKind, today: Date) -> TokenFilter {
        TokenFilter {
            active: self.active,
            revoked: self.revoked,
            created_after: self.created_after,
            created_before: self.created_before,
            last_used_after: self.last_used_after,
            last_used_before: self.last_used_before,
            expires_after: self.expires_after,
            expires_before: self.expires_before,
            search: self.search.clone(),
            ..TokenFilter::new(kind, today)
        }
    }
}

/// The caller's own tokens; for administrators, those of all users.
pub fn list_personal(query: &mut Query<'_>, request: ListTokens) -> Result<Page<TokenView>, AppError> {
    let own = query.user()?.id;
    let user = match (request.user, query.is_admin()) {
        (Some(user), false) if user != own => return Err(AppError::Unauthenticated),
        (_, false) => Some(own),
        (Some(user), true) => {
            let known = tenon_storage::user::find(&mut query.tx, user)?;
            Some(known.ok_or(AppError::NotFound(Missing::Plain))?.id)
        }
        (None, true) => None,
    };
    let filter = TokenFilter { user, ..request.filter(TokenKind::Personal, query.today()) };
    let found = token::list(&mut query.tx, &filter, request.order_by, request.descending, request.page)?;
    let now = query.now;
    Ok(found.map(|(token, _)| TokenView::without_secret(token, now)))
}

/// One token of the caller's own or, for administrators, of any user.
pub fn personal(query: &mut Query<'_>, id: TokenId) -> Result<TokenView, AppError> {
    let token = find(query, id)?;
    Ok(TokenView::without_secret(token, query.now))
}

/// The token of another user is as invisible as one that does not exist: both are 401.
fn find(query: &mut Query<'_>, id: TokenId) -> Result<Token, AppError> {
    let (own, admin) = (query.user()?.id, query.is_admin());
    let found = token::find(&mut query.tx, TokenKind::Personal, id)?.map(|(token, _)| token);
    match found {
        Some(token) if admin || token.user == own => Ok(token),
        Some(_) | None if admin => Err(AppError::NotFound(Missing::Record)),
        Some(_) | None => Err(AppError::Unauthenticated),
    }
}

/// The token that made the request. Only personal tokens can read themselves.
fn current<'a>(query: &'a Query<'_>) -> Result<&'a Token, AppError> {
    let token = query.caller.token.as_deref().filter(|token| token.kind != TokenKind::OAuth);
    token.ok_or_else(|| AccessRefusal::NotAPersonalToken.into())
}

/// The token that made the request.
pub fn show_self(query: &mut Query<'_>) -> Result<TokenView, AppError> {
    let token = current(query)?.clone();
    Ok(TokenView::without_secret(token, query.now))
}

/// Makes a personal token for a user; administrators only, which is the route's guard. The text is that of its 422.
pub fn create_personal(
    command: &mut Command<'_>,
    user: UserId,
    name: String,
    description: Option<String>,
    scopes: Scopes,
    expires_at: Option<Date>,
) -> Result<TokenView, AppError> {
    super::check_person(command, user)?;
    let new = NewToken { user, kind: TokenKind::Personal, name, description, scopes, expires_at, secret: None };
    issue(command, new)
}

/// Makes a personal token for the user who asks, in a session of a browser: a token must not make another one, which could
/// outlive it.
pub fn create_own(
    command: &mut Command<'_>,
    name: String,
    scopes: Scopes,
    expires_at: Option<Date>,
) -> Result<TokenView, AppError> {
    let (user, admin) = (command.user()?.id, command.viewer().is_admin());
    if command.caller.session.is_none() {
        return Err(AppError::Forbidden);
    }
    if [Scope::Sudo, Scope::AdminMode].into_iter().any(|scope| scopes.contains(scope)) && !admin {
        return Err(AppError::invalid("scopes", "can only contain available scopes"));
    }
    check_own(command, user, expires_at)?;
    let new = NewToken { user, kind: TokenKind::Personal, name, description: None, scopes, expires_at, secret: None };
    issue(command, new)
}

/// Refuses a token of a user's own that would be dead already, and one if there are too many.
fn check_own(command: &mut Command<'_>, user: UserId, expires_at: Option<Date>) -> Result<(), AppError> {
    if expires_at.is_some_and(|end| end <= command.today()) {
        return Err(AppError::invalid("expires_at", "must be in the future"));
    }
    let most = command.app.limits().accounts.tokens;
    check_tokens(command, TokenKind::Personal, user, most)
}

/// Refuses one more token if `most` are stored, also dead ones: else they would be made and withdrawn without end.
fn check_tokens(command: &mut Command<'_>, kind: TokenKind, user: UserId, most: usize) -> Result<(), AppError> {
    let stored = TokenFilter { user: Some(user), ..TokenFilter::new(kind, command.today()) };
    let count = token::count(&mut command.tx, &stored)?;
    let what = if kind == TokenKind::Bot { "access tokens" } else { "personal access tokens" };
    check_room(count, most, what)
}

/// Makes a personal token for the user who asks, with any of the scopes that open nothing of the user's: such a token
/// may be made with another one. It ends on the next day if the request does not say.
pub fn create_limited(
    command: &mut Command<'_>,
    name: String,
    description: Option<String>,
    scopes: Scopes,
    expires_at: Option<Date>,
) -> Result<TokenView, AppError> {
    let user = command.user()?;
    // A bot has the token that it was made with, and those that took its place.
    if user.bot {
        return Err(AppError::Forbidden);
    }
    let user = user.id;
    check_own(command, user, expires_at)?;
    let expires_at = expires_at.or_else(|| command.today().succ_opt());
    let new = NewToken { user, kind: TokenKind::Personal, name, description, scopes, expires_at, secret: None };
    issue(command, new)
}

/// Withdraws a token.
pub fn revoke_personal(
    command: &mut Command<'_>,
    id: TokenId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let token = find(&mut command.query(), id)?;
    revoke(command, &token, unmodified_since)
}

/// Withdraws the token that made the request.
pub fn revoke_self(command: &mut Command<'_>) -> Result<(), AppError> {
    let token = current(&command.query())?.clone();
    revoke(command, &token, None)?;
    end_idle_bot(command, &token)
}

/// Removes the bot of an access token, with its membership, if no other of its tokens works. Does nothing for tokens of people.
pub(crate) fn end_idle_bot(command: &mut Command<'_>, gone: &Token) -> Result<(), AppError> {
    if gone.kind != TokenKind::Bot {
        return Ok(());
    }
    let rest =
        TokenFilter { user: Some(gone.user), active: Some(true), ..TokenFilter::new(TokenKind::Bot, command.today()) };
    if token::count(&mut command.tx, &rest)? > 0 {
        return Ok(());
    }
    account_removal::begin(command, gone.user, false)
}

/// Replaces a token by a new one of the same name and scopes; the old one is withdrawn. `None`, to be answered with
/// 401, if the old one is dead already: a withdrawn token that is rotated may have been stolen, so all that came out of
/// it is withdrawn too. An outcome and not an error, because the withdrawal must be kept.
pub fn rotate(command: &mut Command<'_>, id: TokenId, expires_at: Option<Date>) -> Result<Option<TokenView>, AppError> {
    let token = find(&mut command.query(), id)?;
    // Else another token of an administrator would open what it is not made for.
    let opens_more = token.scopes.contains(Scope::AdminMode) && !command.viewer().is_admin();
    if opens_more && command.user()?.admin {
        return Err(AppError::InsufficientScope(Scope::AdminMode.as_str()));
    }
    replace(command, token, expires_at)
}

/// As [`rotate`], the token that made the request, which needs `api` or `self_rotate`.
pub fn rotate_self(command: &mut Command<'_>, expires_at: Option<Date>) -> Result<Option<TokenView>, AppError> {
    let token = current(&command.query())?.clone();
    if !(token.scopes.contains(Scope::Api) || token.scopes.contains(Scope::SelfRotate)) {
        return Err(AppError::InsufficientScope("api self_rotate"));
    }
    replace(command, token, expires_at)
}

/// Replaces a token that the caller may replace, as [`rotate`] does.
pub(crate) fn replace(
    command: &mut Command<'_>,
    old: Token,
    expires_at: Option<Date>,
) -> Result<Option<TokenView>, AppError> {
    let now = command.now;
    match old.state(now) {
        TokenState::Active => {}
        TokenState::Expired => return Ok(None),
        TokenState::Revoked => {
            token::revoke_successors(&mut command.tx, old.id, now)?;
            end_idle_bot(command, &old)?;
            return Ok(None);
        }
    }
    if expires_at.is_some_and(|end| end <= command.today()) {
        return Err(AppError::invalid("expires_at", "must be in the future"));
    }
    if matches!(old.kind, TokenKind::Personal | TokenKind::Bot) {
        // Also who has as many tokens as are allowed replaces each of them.
        let most = command.app.limits().accounts.tokens.saturating_mul(2);
        check_tokens(command, old.kind, old.user, most)?;
    }
    revoke(command, &old, None)?;
    let in_a_week = command.today().checked_add_days(Days::new(7));
    let last = last_end(&command.query().settings()?.tokens, command.today());
    let new = NewToken {
        user: old.user,
        kind: old.kind,
        name: old.name,
        description: old.description,
        scopes: old.scopes,
        expires_at: expires_at.or_else(|| in_a_week.map(|end| last.map_or(end, |last| end.min(last)))),
        secret: None,
    };
    let issued = issue(command, new)?;
    token::set_successor(&mut command.tx, old.id, issued.token.id)?;
    Ok(Some(issued))
}

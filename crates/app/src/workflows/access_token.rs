//! Access tokens of projects and groups. Each belongs to a bot: an account of its own, which is a member there, never signs in,
//! and is removed with its last token.

use std::collections::HashMap;

use tenon_auth::Secret;
use tenon_domain::access::{AccessLevel, Standing};
use tenon_domain::container::Container;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::group::GroupAction;
use tenon_domain::group::setting::ACCESS_TOKENS;
use tenon_domain::id::{NamespaceId, TokenId, UserId};
use tenon_domain::member::Member;
use tenon_domain::page::Page;
use tenon_domain::project::ProjectAction;
use tenon_domain::time::{Date, Timestamp};
use tenon_domain::token::{Scope, Scopes, Token, TokenKind, TokenState};
use tenon_domain::user::{Profile, User, UserState, check_name};
use tenon_storage::token::TokenFilter;
use tenon_storage::{bot, group};

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::container::{AuthorizedContainer, ContainerReference};
use crate::policy::quota::{check_number, container_word};
use crate::shared::access::membership;
use crate::token::{self, ListTokens, NewToken, TokenView};
use crate::user::{NewAccount, open_account};

/// An access token of a project or group as answers show it.
#[derive(Debug, Clone)]
pub struct AccessTokenView {
    /// The token, with its secret if it was just made.
    pub token: TokenView,
    /// The project or group.
    pub home: Container,
    /// The level of its bot there; `None` if the bot is no member any more.
    pub level: Option<AccessLevel>,
}

/// The access tokens of a project or group for a page.
#[derive(Debug, Clone)]
pub struct AccessTokensPage {
    /// One page of the tokens.
    pub tokens: Page<AccessTokenView>,
    /// The project or group.
    pub home: Container,
    /// True if the groups above let tokens be made.
    pub may_create: bool,
}

/// A request for a new access token.
#[derive(Debug, Clone)]
pub struct CreateAccessToken {
    /// The maker's name for it, and the display name of its bot.
    pub name: String,
    /// The maker's text about it.
    pub description: Option<String>,
    /// The uses that it allows.
    pub scopes: Vec<Scope>,
    /// The level of its bot; `None` for a number that is no level.
    pub level: Option<AccessLevel>,
    /// The day on which it expires.
    pub expires_at: Option<Date>,
}

/// The project or group of the tokens, and the caller's standing there.
struct Home {
    container: Container,
    namespace: NamespaceId,
    standing: Standing,
}

/// The project or group, if the caller may manage its access tokens. A caller who is identified by the token `wanted` may
/// manage that one without the right to others.
fn find_home(query: &mut Query<'_>, of: &ContainerReference, wanted: Option<TokenId>) -> Result<Home, AppError> {
    let own = query.caller.token.as_ref().filter(|token| token.kind == TokenKind::Bot).map(|token| token.id);
    let is_own = own.is_some() && own == wanted;
    let (in_project, in_group) = if is_own {
        (ProjectAction::Read, GroupAction::Read)
    } else {
        (ProjectAction::ManageAccessTokens, GroupAction::Administer)
    };
    let found = AuthorizedContainer::find(query, of, in_project, in_group)?;
    let container = found.container();
    Ok(match found {
        AuthorizedContainer::Project(found) => {
            Home { container, namespace: found.namespace.id, standing: found.standing }
        }
        AuthorizedContainer::Group(found) => {
            Home { container, namespace: found.group.id(), standing: found.standing.standing }
        }
    })
}

/// As [`find_home`], to change the token `wanted`, or to make one. A bot changes its own token only, and makes none.
fn changeable(command: &mut Command<'_>, of: &ContainerReference, wanted: Option<TokenId>) -> Result<Home, AppError> {
    let home = find_home(&mut command.query(), of, wanted)?;
    let is_own = command.caller.token.as_ref().is_some_and(|token| Some(token.id) == wanted);
    if command.user()?.bot && !is_own { Err(AppError::Forbidden) } else { Ok(home) }
}

fn view(home: &Home, token: TokenView, levels: &HashMap<UserId, AccessLevel>) -> AccessTokenView {
    AccessTokenView { home: home.container, level: levels.get(&token.token.user).copied(), token }
}

fn view_one(query: &mut Query<'_>, home: &Home, token: TokenView) -> Result<AccessTokenView, AppError> {
    let levels = bot::levels(&mut query.tx, home.container, &[token.token.user])?;
    Ok(view(home, token, &levels))
}

fn find(query: &mut Query<'_>, home: &Home, id: TokenId) -> Result<Token, AppError> {
    let missing = || AppError::NotFound(Missing::Record);
    let (token, _) = tenon_storage::token::find(&mut query.tx, TokenKind::Bot, id)?.ok_or_else(missing)?;
    let container = bot::home(&mut query.tx, token.user)?;
    if container == Some(home.container) { Ok(token) } else { Err(missing()) }
}

/// The access tokens of a project or group. Its maintainers read them, for a group its owners.
pub fn list(
    query: &mut Query<'_>,
    of: &ContainerReference,
    request: ListTokens,
) -> Result<Page<AccessTokenView>, AppError> {
    let home = find_home(query, of, None)?;
    let bots = bot::of(&mut query.tx, home.container)?;
    let filter = TokenFilter { users: Some(bots), ..request.filter(TokenKind::Bot, query.today()) };
    let order = request.order_by;
    let found = tenon_storage::token::list(&mut query.tx, &filter, order, request.descending, request.page)?;
    let bots: Vec<UserId> = found.items.iter().map(|(token, _)| token.user).collect();
    let levels = bot::levels(&mut query.tx, home.container, &bots)?;
    let now = query.now;
    Ok(found.map(|(token, _)| view(&home, TokenView::without_secret(token, now), &levels)))
}

/// As [`list`], with whether the caller may make tokens there.
pub fn page(query: &mut Query<'_>, of: &ContainerReference, request: ListTokens) -> Result<AccessTokensPage, AppError> {
    let home = find_home(query, of, None)?;
    let may_create = are_allowed(query, &home)?;
    Ok(AccessTokensPage { tokens: list(query, of, request)?, home: home.container, may_create })
}

/// True if the groups above let access tokens be made.
fn are_allowed(query: &mut Query<'_>, home: &Home) -> Result<bool, AppError> {
    Ok(!group::inherited_settings(&mut query.tx, home.namespace)?.is_off(&ACCESS_TOKENS))
}

/// One access token of a project or group, or the one that the caller uses.
pub fn show(query: &mut Query<'_>, of: &ContainerReference, id: TokenId) -> Result<AccessTokenView, AppError> {
    let home = find_home(query, of, Some(id))?;
    let token = TokenView::without_secret(find(query, &home, id)?, query.now);
    view_one(query, &home, token)
}

/// Makes an access token, with its bot. Its secret is in the answer, and nowhere else.
pub fn create(
    command: &mut Command<'_>,
    of: &ContainerReference,
    request: CreateAccessToken,
) -> Result<AccessTokenView, AppError> {
    let home = changeable(command, of, None)?;
    if !are_allowed(&mut command.query(), &home)? {
        return Err(AppError::Forbidden);
    }
    let mut errors = FieldErrors::default();
    check_name(&mut errors, &request.name);
    let is_known = request.scopes.iter().all(|scope| Scope::OF_BOTS.contains(scope));
    errors.require(is_known, "scopes", "can only contain available scopes");
    errors.require(request.expires_at.is_none_or(|end| end > command.today()), "expires_at", "must be in the future");
    let level = request.level.filter(|level| *level <= home.container.highest_level());
    errors.require(level.is_some(), "access_level", "is not included in the list");
    let is_granted = level.is_none_or(|level| home.standing.at_least(level));
    errors.require(is_granted, "access_level", "must not be higher than your own");
    errors.into_result()?;
    let Some(level) = level else { return Err(AppError::Forbidden) };
    let count = i64::try_from(bot::of(&mut command.tx, home.container)?.len()).unwrap_or(i64::MAX);
    let most = command.app.limits().contents.access_tokens;
    check_number(count, most, container_word(home.container), "access tokens")?;
    let user = open_bot(command, &home, &request.name)?;
    let new = Member {
        container: home.container,
        user,
        level,
        expires_at: None,
        created_at: command.now,
        created_by: command.actor(),
        updated_at: command.now,
    };
    membership::begin(command, &new, None)?;
    let token = token::issue(
        command,
        NewToken {
            user,
            kind: TokenKind::Bot,
            name: request.name,
            description: request.description,
            scopes: Scopes::new(request.scopes),
            expires_at: request.expires_at,
            secret: None,
        },
    )?;
    Ok(AccessTokenView { token, home: home.container, level: Some(level) })
}

/// Makes the account of a token that is about to exist. Nothing that is internal is open to it.
fn open_bot(command: &mut Command<'_>, home: &Home, name: &str) -> Result<UserId, AppError> {
    let random = Secret::generate_hex(command.app.entropy());
    let username = match home.container {
        Container::Project(id) => format!("project_{id}_bot_{}", random.expose()),
        Container::Group(id) => format!("group_{id}_bot_{}", random.expose()),
    };
    let user = User {
        id: UserId::new(0),
        email: format!("{username}@localhost.invalid"),
        username,
        name: name.to_owned(),
        state: UserState::Active,
        ghost: false,
        bot: true,
        admin: false,
        external: true,
        private_profile: false,
        can_create_group: false,
        projects_limit: 0,
        profile: Profile::default(),
        avatar: None,
        confirmed_at: Some(command.now),
        last_sign_in_at: None,
        current_sign_in_at: None,
        last_activity_on: None,
        created_at: command.now,
        updated_at: command.now,
    };
    let new = NewAccount { user, password_digest: None, password_expired: false, identity: None };
    let id = open_account(command, new)?.id;
    bot::insert(&mut command.tx, id, home.container)?;
    Ok(id)
}

/// Replaces an access token by a new one of the same bot; the old one is withdrawn. Fails with 403 if the bot has a higher
/// level than the caller, who would get it. `None`, to be answered with 401, if the old one is dead already: see
/// [`token::rotate`].
pub fn rotate(
    command: &mut Command<'_>,
    of: &ContainerReference,
    id: TokenId,
    expires_at: Option<Date>,
) -> Result<Option<AccessTokenView>, AppError> {
    let home = changeable(command, of, Some(id))?;
    let old = find(&mut command.query(), &home, id)?;
    // A second press of the button is no theft.
    if command.caller.session.is_some() && old.state(command.now) != TokenState::Active {
        return Err(AppError::NotFound(Missing::Record));
    }
    let level = bot::levels(&mut command.tx, home.container, &[old.user])?.remove(&old.user);
    if level.is_some_and(|level| !home.standing.at_least(level)) {
        return Err(AppError::Forbidden);
    }
    let made = token::replace(command, old, expires_at)?;
    Ok(made.map(|token| AccessTokenView { token, home: home.container, level }))
}

/// As [`rotate`], the token that made the request, which needs `api` or `self_rotate`. Fails with 404 if it is not one of the
/// project or group.
pub fn rotate_self(
    command: &mut Command<'_>,
    of: &ContainerReference,
    expires_at: Option<Date>,
) -> Result<Option<AccessTokenView>, AppError> {
    let own = command.caller.token.as_ref().map_or(TokenId::new(0), |token| token.id);
    let home = changeable(command, of, Some(own))?;
    find(&mut command.query(), &home, own)?;
    let Some(token) = token::rotate_self(command, expires_at)? else { return Ok(None) };
    view_one(&mut command.query(), &home, token).map(Some)
}

/// Withdraws an access token. If its bot has no other one that works, the bot goes as well, with its membership.
pub fn revoke(
    command: &mut Command<'_>,
    of: &ContainerReference,
    id: TokenId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let home = changeable(command, of, Some(id))?;
    let gone = find(&mut command.query(), &home, id)?;
    token::withdraw(command, &gone, unmodified_since)?;
    token::end_idle_bot(command, &gone)
}

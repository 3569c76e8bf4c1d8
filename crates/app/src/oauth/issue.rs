//! Issuing tokens for a grant.

use std::time::Duration;

use serde::Serialize;
use tenon_auth::{Secret, SignedKind, digest};
use tenon_domain::id::{GrantId, TokenId, UserId};
use tenon_domain::oauth::{Application, RefreshTokens};
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_domain::token::{Scope, Scopes, Token, TokenKind};
use tenon_storage::oauth::grant;
use tenon_storage::token;

use super::error::OAuthError;
use crate::core::app::Command;
use crate::core::error::AppError;

/// The tokens that are issued at once.
#[derive(Debug, Clone)]
pub struct IssuedTokens {
    /// The access token.
    pub access: Secret,
    /// Seconds for which it works.
    pub expires_in: i64,
    /// The refresh token; none if an application acts for itself, which can ask again.
    pub refresh: Option<Secret>,
    /// Who the user is (`OpenID` Connect), if the scope `openid` was granted.
    pub identity: Option<Secret>,
    /// The scopes of their use.
    pub scopes: Scopes,
    /// When it was issued.
    pub created_at: Timestamp,
}

/// The recipient of issued tokens.
pub(super) struct Recipient<'a> {
    pub(super) grant: GrantId,
    pub(super) application: Option<&'a Application>,
    pub(super) user: Option<UserId>,
    /// Of this access token; not more than the grant's.
    pub(super) scopes: Scopes,
    /// The nonce of an ID token that is due, if there is one.
    pub(super) nonce: Option<&'a str>,
    /// The refresh tokens of the grant; none for a grant that has none yet.
    pub(super) refreshed: Option<Refreshed>,
}

/// The refresh tokens that a grant has.
pub(super) struct Refreshed {
    /// The common beginning of all of them.
    pub(super) family: String,
    /// The one that works, and those that did.
    pub(super) tokens: RefreshTokens,
}

/// The claims of an access token (RFC 9068). The random id makes it impossible to guess.
#[derive(Serialize)]
struct AccessClaims<'a> {
    iss: &'a str,
    sub: String,
    aud: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<&'a str>,
    scope: String,
    iat: i64,
    exp: i64,
    jti: &'a str,
}

/// The claims of an ID token.
#[derive(Serialize)]
struct IdentityClaims<'a> {
    iss: &'a str,
    sub: String,
    aud: &'a str,
    iat: i64,
    exp: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    nonce: Option<&'a str>,
}

/// Issues an access token and, for a user, a refresh token. Earlier ones of the grant end.
pub(super) fn issue(command: &mut Command<'_>, to: Recipient<'_>) -> Result<IssuedTokens, AppError> {
    let app = command.app;
    let (now, limits) = (command.now, &app.limits().oauth);
    let end = now + within(limits.access_token);
    let jti = Secret::generate(app.entropy());
    let uid = to.application.map(|application| application.uid.as_str());
    let claims = AccessClaims {
        iss: app.base_url(),
        sub: to.user.map_or_else(|| uid.unwrap_or_default().to_owned(), |user| user.to_string()),
        aud: app.base_url(),
        client_id: uid,
        scope: to.scopes.to_string(),
        iat: now.timestamp(),
        exp: end.timestamp(),
        jti: jti.expose(),
    };
    let signer = app.vault().token_signer().map_err(AppError::internal)?;
    let access = signer.sign(SignedKind::Access, &claims).map_err(AppError::internal)?;
    let mut issued = IssuedTokens {
        expires_in: (end - now).num_seconds(),
        refresh: None,
        identity: None,
        scopes: to.scopes.clone(),
        created_at: now,
        access,
    };
    let Some(user) = to.user else {
        grant::set_access(&mut command.tx, to.grant, &digest(issued.access.expose()))?;
        return Ok(issued);
    };
    if to.scopes.contains(Scope::OpenId) {
        let claims = IdentityClaims {
            iss: claims.iss,
            sub: user.to_string(),
            aud: uid.unwrap_or_default(),
            iat: claims.iat,
            exp: claims.exp,
            nonce: to.nonce,
        };
        issued.identity = Some(signer.sign(SignedKind::Identity, &claims).map_err(AppError::internal)?);
    }
    let (known, tokens) = match &to.refreshed {
        Some(refreshed) => (Some(refreshed.family.as_str()), refreshed.tokens.clone()),
        None => (None, RefreshTokens::default()),
    };
    let refresh = new_refresh_token(command, known);
    let (family, _) = split(refresh.expose()).unwrap_or_default();
    let tokens = tokens.replaced_by(digest(refresh.expose()), now, within(limits.refresh_grace));
    grant::set_refresh(&mut command.tx, to.grant, &digest(family), &tokens, now + within(limits.grant))?;
    token::revoke_of_grant(&mut command.tx, to.grant, now)?;
    let name = to.application.map_or("Password", |application| application.name.as_str());
    store(command, &to, user, name, end, &digest(issued.access.expose()))?;
    issued.refresh = Some(refresh);
    Ok(issued)
}

fn store(
    command: &mut Command<'_>,
    to: &Recipient<'_>,
    user: UserId,
    name: &str,
    end: Timestamp,
    digest: &str,
) -> Result<(), AppError> {
    let token = Token {
        id: TokenId::new(0),
        user,
        kind: TokenKind::OAuth,
        name: name.to_owned(),
        description: None,
        scopes: to.scopes.clone(),
        revoked: false,
        expires_at: None,
        ends_at: Some(end),
        created_at: command.now,
        last_used_at: None,
    };
    let row = token::NewToken { token: &token, digest, sealed_secret: None, grant: Some(to.grant) };
    token::insert(&mut command.tx, &row)?;
    Ok(())
}

/// A refresh token: what all of its grant begin with, and what only this one has. So the grant is found also by one that
/// was replaced, and a grant needs no list of those.
fn new_refresh_token(command: &Command<'_>, family: Option<&str>) -> Secret {
    let entropy = command.app.entropy();
    let fresh = || Secret::generate(entropy).expose().to_owned();
    let family = family.map_or_else(fresh, ToOwned::to_owned);
    Secret::given(format!("{family}.{}", fresh()))
}

/// The two parts of a refresh token.
pub(super) fn split(refresh_token: &str) -> Option<(&str, &str)> {
    refresh_token.split_once('.')
}

/// The scopes that a request names; `None` if it names none.
pub(super) fn asked(scope: Option<&str>) -> Result<Option<Scopes>, OAuthError> {
    match scope.map(Scopes::parse) {
        None => Ok(None),
        Some(Ok(scopes)) if scopes.is_empty() => Ok(None),
        Some(Ok(scopes)) => Ok(Some(scopes)),
        Some(Err(_unknown)) => Err(OAuthError::InvalidScope),
    }
}

/// A limit of time.
pub(super) fn within(limit: Duration) -> TimeDelta {
    // A hundred years are as good as for ever.
    let seconds = i64::try_from(limit.as_secs()).unwrap_or(i64::MAX).min(3_153_600_000);
    TimeDelta::seconds(seconds)
}

/// A limit of rows, at least one.
pub(super) fn bounded(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX).max(1)
}

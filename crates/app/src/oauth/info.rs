//! The facts about a token, and the clients that learn them.

use tenon_auth::{Secret, digest};
use tenon_domain::id::UserId;
use tenon_domain::oauth::{Application, Grant};
use tenon_domain::time::Timestamp;
use tenon_domain::token::Scopes;
use tenon_storage::oauth::application;
use tenon_storage::oauth::grant::{self, Mark};
use tenon_storage::{token, user};

use super::client::{ClientCredentials, authenticate_by_secret};
use super::error::{OAuthError, Refusal};
use super::issue::split;
use crate::core::app::{App, Query};
use crate::core::error::AppError;

/// Who asks about a token.
#[derive(Debug, Clone)]
pub enum Introspector {
    /// An application that proves its secret.
    Client(ClientCredentials),
    /// The bearer of an access token, for tokens of the same application.
    Bearer(Secret),
}

/// A token that works.
#[derive(Debug, Clone)]
pub struct TokenInfo {
    /// For whom it was issued; none if an application acts for itself.
    pub user: Option<UserId>,
    /// To which application it was issued.
    pub client_id: Option<String>,
    /// The scopes of its use.
    pub scopes: Scopes,
    /// When it ends.
    pub expires_at: Timestamp,
    /// Seconds until then.
    pub expires_in: i64,
    /// When it was issued.
    pub created_at: Timestamp,
    /// The only application that learns this.
    application: Option<Application>,
}

/// The facts that an application learns of a token; `None` unless the token works and is its own.
#[derive(Debug, Clone)]
pub struct TokenReport(pub Option<TokenInfo>);

impl App {
    /// The access token that makes a request. Fails if it does not work.
    pub async fn token_info(&self, access: Secret) -> Result<TokenInfo, Refusal> {
        let work = move |query: &mut Query<'_>| {
            let found = access_token(query, &access)?;
            Ok(found.ok_or(OAuthError::InvalidToken))
        };
        Ok(self.read_credential(work).await??)
    }

    /// The facts about `presented`, which may be an access or a refresh token.
    pub async fn introspect(&self, by: Introspector, presented: Secret) -> Result<TokenReport, Refusal> {
        let work = move |query: &mut Query<'_>| Refusal::kept(introspect(query, &by, &presented));
        Ok(self.read_credential(work).await??)
    }
}

fn introspect(query: &mut Query<'_>, by: &Introspector, presented: &Secret) -> Result<TokenReport, Refusal> {
    let asking = match by {
        Introspector::Client(client) => authenticate_by_secret(&mut query.tx, client)?.id,
        Introspector::Bearer(access) => {
            let bearer = access_token(query, access)?.ok_or(OAuthError::InvalidToken)?;
            bearer.application.ok_or(OAuthError::InvalidToken)?.id
        }
    };
    let found = match access_token(query, presented)? {
        Some(found) => Some(found),
        None => refresh_token(query, presented)?,
    };
    let is_own = |found: &TokenInfo| found.application.as_ref().is_some_and(|application| application.id == asking);
    Ok(TokenReport(found.filter(is_own)))
}

/// An access token that works.
fn access_token(query: &mut Query<'_>, presented: &Secret) -> Result<Option<TokenInfo>, AppError> {
    let digest = digest(presented.expose());
    let now = query.now;
    if let Some((token, grant)) = token::granted(&mut query.tx, &digest)? {
        let Some(grant) = grant::find(&mut query.tx, grant)?.filter(|_| token.is_active(now)) else { return Ok(None) };
        let Some(expires_at) = token.ends_at.filter(|_| !grant.revoked) else { return Ok(None) };
        return reported(query, grant, token.scopes, token.created_at, expires_at);
    }
    let own = grant::by_mark(&mut query.tx, Mark::Access(&digest))?.filter(|(grant, _)| grant.is_active(now));
    let Some((grant, _)) = own else { return Ok(None) };
    let (scopes, created_at, expires_at) = (grant.scopes.clone(), grant.created_at, grant.expires_at);
    reported(query, grant, scopes, created_at, expires_at)
}

/// A refresh token that works.
fn refresh_token(query: &mut Query<'_>, presented: &Secret) -> Result<Option<TokenInfo>, AppError> {
    let Some((family, _)) = split(presented.expose()) else { return Ok(None) };
    let found = grant::by_mark(&mut query.tx, Mark::Family(&digest(family)))?;
    let Some((grant, tokens)) = found.filter(|(grant, _)| grant.is_active(query.now)) else { return Ok(None) };
    if tokens.current != Some(digest(presented.expose())) {
        return Ok(None);
    }
    let (scopes, created_at, expires_at) = (grant.scopes.clone(), grant.created_at, grant.expires_at);
    reported(query, grant, scopes, created_at, expires_at)
}

/// The report of a token of `grant`; nothing if its user may do nothing or is gone.
fn reported(
    query: &mut Query<'_>,
    grant: Grant,
    scopes: Scopes,
    created_at: Timestamp,
    expires_at: Timestamp,
) -> Result<Option<TokenInfo>, AppError> {
    if let Some(id) = grant.user
        && user::find(&mut query.tx, id)?.is_none_or(|user| !user.may_act())
    {
        return Ok(None);
    }
    let application = grant.application.map(|id| application::find(&mut query.tx, id)).transpose()?.flatten();
    let client_id = application.as_ref().map(|application| application.uid.clone());
    let expires_in = (expires_at - query.now).num_seconds();
    Ok(Some(TokenInfo { user: grant.user, client_id, scopes, expires_at, expires_in, created_at, application }))
}

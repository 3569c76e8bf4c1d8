//! Tokens as JSON.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use tenon_app::access_token::AccessTokenView;
use tenon_app::token::TokenView;
use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::token::{Scope, Token};
use utoipa::ToSchema;

/// A token with which an administrator acts as a user.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ImpersonationTokenDto {
    id: i64,
    name: String,
    /// True if the token is neither revoked nor expired.
    active: bool,
    revoked: bool,
    scopes: Vec<&'static str>,
    /// The secret. Unlike those of personal tokens, it can be read again.
    token: Option<String>,
    /// Always true.
    impersonation: bool,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    expires_at: Option<NaiveDate>,
}

/// A personal access token.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PersonalTokenDto {
    id: i64,
    name: String,
    description: Option<String>,
    revoked: bool,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    scopes: Vec<&'static str>,
    user_id: i64,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    last_used_at: Option<DateTime<Utc>>,
    /// True if the token is neither revoked nor expired.
    active: bool,
    expires_at: Option<NaiveDate>,
    /// The secret, only in the response that created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

/// An access token of a project or group.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AccessTokenDto {
    #[serde(flatten)]
    token: PersonalTokenDto,
    /// The level of its account in the project or group; null if the account is no member there any more.
    access_level: Option<i64>,
    /// `project` or `group`.
    resource_type: &'static str,
    /// The id of the project or group.
    resource_id: i64,
}

fn scopes(token: &Token) -> Vec<&'static str> {
    token.scopes.iter().map(Scope::as_str).collect()
}

fn secret(view: &TokenView) -> Option<String> {
    view.secret.as_ref().map(|secret| secret.expose().to_owned())
}

impl From<TokenView> for ImpersonationTokenDto {
    fn from(view: TokenView) -> Self {
        Self {
            token: secret(&view),
            id: view.token.id.get(),
            active: view.active,
            revoked: view.token.revoked,
            scopes: scopes(&view.token),
            impersonation: true,
            created_at: view.token.created_at,
            expires_at: view.token.expires_at,
            name: view.token.name,
        }
    }
}

impl From<TokenView> for PersonalTokenDto {
    fn from(view: TokenView) -> Self {
        Self {
            token: secret(&view),
            id: view.token.id.get(),
            revoked: view.token.revoked,
            created_at: view.token.created_at,
            scopes: scopes(&view.token),
            user_id: view.token.user.get(),
            last_used_at: view.token.last_used_at,
            active: view.active,
            expires_at: view.token.expires_at,
            name: view.token.name,
            description: view.token.description,
        }
    }
}

impl From<AccessTokenView> for AccessTokenDto {
    fn from(view: AccessTokenView) -> Self {
        let (resource_type, resource_id) = match view.home {
            Container::Project(id) => ("project", id.get()),
            Container::Group(id) => ("group", id.get()),
        };
        let access_level = view.level.map(AccessLevel::value);
        Self { token: view.token.into(), access_level, resource_type, resource_id }
    }
}

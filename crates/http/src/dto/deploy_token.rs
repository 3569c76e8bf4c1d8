//! Deploy tokens as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::deploy_token::DeployTokenView;
use tenon_domain::deploy_token::DeployScope;
use tenon_domain::time::start_of_day;
use utoipa::ToSchema;

/// A deploy token.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeployTokenDto {
    id: i64,
    name: String,
    /// The user name that Git sends with the token.
    username: String,
    /// The last day on which it works, as its first moment.
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    expires_at: Option<DateTime<Utc>>,
    scopes: Vec<&'static str>,
    /// Always false: a token that was withdrawn is gone.
    revoked: bool,
    /// True if its last day is over.
    expired: bool,
    /// The secret, only in the response that created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

impl From<DeployTokenView> for DeployTokenDto {
    fn from(view: DeployTokenView) -> Self {
        let DeployTokenView { token, expired, secret } = view;
        Self {
            id: token.id.get(),
            username: token.username(),
            name: token.name,
            expires_at: token.expires_at.map(start_of_day),
            scopes: token.scopes.into_iter().map(DeployScope::as_str).collect(),
            revoked: false,
            expired,
            token: secret.map(|secret| secret.expose().to_owned()),
        }
    }
}

//! Applications that act for users, as JSON.

use serde::Serialize;
use tenon_app::Secret;
use tenon_domain::oauth::{Application, ClientKind};
use tenon_domain::token::Scope;
use utoipa::ToSchema;

/// An application that acts for users.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ApplicationDto {
    id: i64,
    /// The id of the application (`client_id`).
    application_id: String,
    application_name: String,
    /// The redirect URIs, separated by white space.
    callback_url: String,
    /// True if the application can keep a secret (a confidential client).
    confidential: bool,
    /// The scopes that the application may be granted.
    scopes: Vec<&'static str>,
    /// The secret, only in the response that created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
}

impl From<Application> for ApplicationDto {
    fn from(application: Application) -> Self {
        Self {
            id: application.id.get(),
            application_id: application.uid,
            application_name: application.name,
            callback_url: application.redirect_uri,
            confidential: application.kind == ClientKind::Confidential,
            scopes: application.scopes.iter().map(Scope::as_str).collect(),
            secret: None,
        }
    }
}

impl From<(Application, Secret)> for ApplicationDto {
    fn from((application, secret): (Application, Secret)) -> Self {
        Self { secret: Some(secret.expose().to_owned()), ..application.into() }
    }
}

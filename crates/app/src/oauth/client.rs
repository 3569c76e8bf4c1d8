//! Which application sends a request.

use tenon_auth::{Secret, digest, is_same};
use tenon_domain::oauth::{Application, ClientKind};
use tenon_storage::ReadTx;
use tenon_storage::oauth::application;

use super::error::{OAuthError, Refusal};

/// How an application presents itself.
#[derive(Debug, Clone)]
pub struct ClientCredentials {
    /// The id that it was given.
    pub id: String,
    /// The secret that it was given; an application that cannot keep one may leave it out.
    pub secret: Option<Secret>,
}

/// The application that the credentials name. One that can keep a secret must prove it; a secret that is sent must be the
/// right one in any case.
pub(super) fn authenticate(tx: &mut ReadTx<'_>, sent: &ClientCredentials) -> Result<Application, Refusal> {
    // No id holds a NUL, and PostgreSQL takes no text that does.
    let found = if sent.id.contains('\0') { None } else { application::by_uid(tx, &sent.id)? };
    let (application, expected) = found.ok_or(OAuthError::InvalidClient)?;
    match (&sent.secret, application.kind) {
        (Some(secret), _) if is_same(&digest(secret.expose()), &expected) => Ok(application),
        (None, ClientKind::Public) => Ok(application),
        (Some(_), _) | (None, ClientKind::Confidential) => Err(OAuthError::InvalidClient.into()),
    }
}

/// As [`authenticate`], an application that has proved its secret.
pub(super) fn authenticate_by_secret(tx: &mut ReadTx<'_>, sent: &ClientCredentials) -> Result<Application, Refusal> {
    let application = authenticate(tx, sent)?;
    if sent.secret.is_none() {
        return Err(OAuthError::InvalidClient.into());
    }
    Ok(application)
}

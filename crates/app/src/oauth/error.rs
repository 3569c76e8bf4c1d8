//! Refusals in the words of OAuth 2.0 (RFC 6749, RFC 6750, RFC 7009).

use tenon_storage::StoreError;

use crate::core::error::AppError;

/// A refusal that the client's program reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.description())]
pub enum OAuthError {
    /// The client did not prove who it is.
    InvalidClient,
    /// The presented credential grants nothing: unknown, expired, used, or another client's.
    InvalidGrant,
    /// The request lacks this parameter.
    Missing(&'static str),
    /// The request is malformed, for this reason.
    Malformed(&'static str),
    /// Unknown scopes, or scopes beyond those of the application or of the grant.
    InvalidScope,
    /// This kind of grant is not known.
    UnsupportedGrantType,
    /// This kind of response is not known.
    UnsupportedResponseType,
    /// The client may not do this.
    UnauthorizedClient,
    /// The token is another client's, and is not withdrawn.
    NotYourToken,
    /// The method of a code challenge is absent or unknown.
    InvalidChallengeMethod,
    /// The user did not agree.
    AccessDenied,
    /// The access token that made the request is not valid.
    InvalidToken,
    /// The user has not decided about a device.
    AuthorizationPending,
    /// A device asks more often than it may.
    SlowDown,
    /// The codes of a device have ended.
    ExpiredToken,
}

impl OAuthError {
    /// The word that programs compare.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::InvalidClient => "invalid_client",
            Self::InvalidGrant => "invalid_grant",
            Self::Missing(_) | Self::Malformed(_) => "invalid_request",
            Self::InvalidScope => "invalid_scope",
            Self::UnsupportedGrantType => "unsupported_grant_type",
            Self::UnsupportedResponseType => "unsupported_response_type",
            Self::UnauthorizedClient | Self::NotYourToken => "unauthorized_client",
            Self::InvalidChallengeMethod => "invalid_code_challenge_method",
            Self::AccessDenied => "access_denied",
            Self::InvalidToken => "invalid_token",
            Self::AuthorizationPending => "authorization_pending",
            Self::SlowDown => "slow_down",
            Self::ExpiredToken => "expired_token",
        }
    }

    /// The text for people.
    #[must_use]
    pub fn description(self) -> String {
        let text = match self {
            Self::InvalidClient => {
                "Client authentication failed due to unknown client, no client authentication included, or unsupported \
                 authentication method."
            }
            Self::InvalidGrant => {
                "The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used \
                 in the authorization request, or was issued to another client."
            }
            Self::Missing(name) => return format!("Missing required parameter: {name}."),
            Self::Malformed(reason) => reason,
            Self::InvalidScope => "The requested scope is invalid, unknown, or malformed.",
            Self::UnsupportedGrantType => "The authorization grant type is not supported by the authorization server.",
            Self::UnsupportedResponseType => "The authorization server does not support this response type.",
            Self::UnauthorizedClient => "The client is not authorized to perform this request using this method.",
            Self::NotYourToken => "You are not authorized to revoke this token",
            Self::InvalidChallengeMethod => "The code challenge method must be plain or S256.",
            Self::AccessDenied => "The resource owner or authorization server denied the request.",
            Self::InvalidToken => "The access token is invalid",
            Self::AuthorizationPending => "The user has not decided about this device yet.",
            Self::SlowDown => "The device asks too often: it must wait longer between two requests.",
            Self::ExpiredToken => "The codes of this device have expired: it must begin again.",
        };
        text.to_owned()
    }
}

/// Why a request was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// For a reason that the protocol has a word for.
    #[error(transparent)]
    OAuth(#[from] OAuthError),
    /// For another one.
    #[error(transparent)]
    Failed(#[from] AppError),
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

impl Refusal {
    /// Splits an outcome, so that a refusal does not undo what was written for it.
    pub(super) fn kept<T>(outcome: Result<T, Self>) -> Result<Result<T, OAuthError>, AppError> {
        match outcome {
            Ok(value) => Ok(Ok(value)),
            Err(Self::OAuth(refusal)) => Ok(Err(refusal)),
            Err(Self::Failed(error)) => Err(error),
        }
    }
}

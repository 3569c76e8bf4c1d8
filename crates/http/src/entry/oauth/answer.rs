//! Answers of OAuth 2.0: JSON that no cache keeps; refusals in the form of RFC 6749.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use serde_json::{Value, json};
use tenon_app::oauth::{OAuthError, Refusal};

use tenon_edge::error::ApiError;

/// A request that was not carried out.
pub(super) enum Failure {
    /// For a reason that the protocol has a word for.
    OAuth(OAuthError),
    /// For another one, answered as the API answers it.
    Api(ApiError),
}

impl From<OAuthError> for Failure {
    fn from(error: OAuthError) -> Self {
        Self::OAuth(error)
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Api(error)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::OAuth(error) => Self::OAuth(error),
            Refusal::Failed(error) => Self::Api(error.into()),
        }
    }
}

/// 200 with this body.
pub(super) fn never_stored(body: &Value) -> HttpResponse {
    unstored(HttpResponse::Ok().insert_header((header::CONTENT_TYPE, "application/json")).body(body.to_string()))
}

/// The response to a request that failed. `by_header`: the client presented itself in a header, and the challenge names
/// that way.
pub(super) fn refused(failure: Failure, by_header: bool) -> HttpResponse {
    let error = match failure {
        Failure::OAuth(error) => error,
        Failure::Api(error) => return unstored(error.into_response()),
    };
    let status = match error {
        OAuthError::InvalidClient | OAuthError::UnauthorizedClient | OAuthError::InvalidToken => {
            StatusCode::UNAUTHORIZED
        }
        OAuthError::NotYourToken => StatusCode::FORBIDDEN,
        OAuthError::InvalidGrant
        | OAuthError::Missing(_)
        | OAuthError::Malformed(_)
        | OAuthError::InvalidScope
        | OAuthError::UnsupportedGrantType
        | OAuthError::UnsupportedResponseType
        | OAuthError::InvalidChallengeMethod
        | OAuthError::AccessDenied
        | OAuthError::AuthorizationPending
        | OAuthError::SlowDown
        | OAuthError::ExpiredToken => StatusCode::BAD_REQUEST,
    };
    let (code, description) = (error.code(), error.description());
    let mut response = HttpResponse::build(status);
    if status == StatusCode::UNAUTHORIZED {
        let challenge = if by_header {
            r#"Basic realm="Tenon""#.to_owned()
        } else {
            format!(r#"Bearer realm="Tenon", error="{code}", error_description="{description}""#)
        };
        response.insert_header((header::WWW_AUTHENTICATE, challenge));
    }
    let body = json!({ "error": code, "error_description": description });
    unstored(response.insert_header((header::CONTENT_TYPE, "application/json")).body(body.to_string()))
}

fn unstored(mut response: HttpResponse) -> HttpResponse {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    response
}

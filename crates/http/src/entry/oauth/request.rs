//! A request to an endpoint of OAuth 2.0. Its parameters are in the body only: addresses end up in logs.

use actix_web::HttpRequest;
use actix_web::http::header::{self, HeaderMap};
use actix_web::http::{Method, StatusCode};
use actix_web::web::Payload;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use tenon_app::Secret;
use tenon_app::error::AppError;
use tenon_app::oauth::{ClientCredentials, OAuthError};
use tenon_edge::body;
use tenon_edge::client::client_of;
use tenon_edge::error::ApiError;
use tenon_edge::raw::RawParams;
use tenon_edge::unreadable::UnreadableRequest;

use super::answer::Failure;
use crate::entry::state::Http;

const REPEATED: &str = "A parameter is included more than once.";
const NOT_TEXT: &str = "A parameter is not a text.";
const UNREADABLE: &str = "The body cannot be read.";
const TWO_PROOFS: &str = "The client has presented itself in more than one way.";

/// The parameters and the credentials of a request.
pub(super) struct OAuthRequest {
    params: RawParams,
    /// `Authorization`, where there is one.
    authorization: Option<Authorization>,
}

enum Authorization {
    /// Id and secret of a client; none where they cannot be read.
    Basic(Option<(String, Secret)>),
    Bearer(Secret),
}

impl OAuthRequest {
    /// Receives the request. It is as small as one of an anonymous caller may be.
    pub(super) async fn receive(http: &Http, request: &HttpRequest, payload: Payload) -> Result<Self, Failure> {
        let authorization = authorization(request.headers());
        let params = if *request.method() == Method::POST {
            let limit = usize::try_from(http.app().limits().bodies.anonymous).unwrap_or(usize::MAX);
            let reserved = http.edge().small_bodies().reserve(client_of(http.edge(), request), 0);
            let mut reservation = reserved.map_err(|_exhausted| ApiError::from(AppError::Busy { retry_after: 2 }))?;
            let bytes = body::receive(request.headers(), payload, limit, &mut reservation).await.map_err(unreadable)?;
            body::parse(request.headers(), bytes).await.map_err(unreadable)?
        } else {
            RawParams::default()
        };
        Ok(Self { params, authorization })
    }

    /// Whether the client presented itself by Basic authentication.
    pub(super) fn came_with_basic(&self) -> bool {
        matches!(self.authorization, Some(Authorization::Basic(_)))
    }

    /// The token in `Authorization: Bearer`.
    pub(super) fn bearer(&self) -> Option<Secret> {
        match &self.authorization {
            Some(Authorization::Bearer(token)) => Some(token.clone()),
            Some(Authorization::Basic(_)) | None => None,
        }
    }

    /// A parameter; empty is absent.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, OAuthError> {
        if self.params.values.repeated.contains_key(name) {
            return Err(OAuthError::Malformed(REPEATED));
        }
        match self.params.values.values.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
            Some(_) => Err(OAuthError::Malformed(NOT_TEXT)),
        }
    }

    /// A parameter that must be there.
    pub(super) fn required(&self, name: &'static str) -> Result<&str, OAuthError> {
        self.text(name)?.ok_or(OAuthError::Missing(name))
    }

    /// A parameter that is a secret.
    pub(super) fn secret(&self, name: &str) -> Result<Option<Secret>, OAuthError> {
        Ok(self.text(name)?.map(Secret::given))
    }

    /// A parameter that is a secret and must be there.
    pub(super) fn required_secret(&self, name: &'static str) -> Result<Secret, OAuthError> {
        self.required(name).map(Secret::given)
    }

    /// How the client presents itself: in the header or in the body, not in both.
    pub(super) fn client(&self) -> Result<Option<ClientCredentials>, OAuthError> {
        let (id, secret) = (self.text("client_id")?, self.secret("client_secret")?);
        match (&self.authorization, id) {
            (Some(Authorization::Basic(None)), _) => Err(OAuthError::InvalidClient),
            (Some(Authorization::Basic(Some((known, _)))), id)
                if secret.is_some() || id.is_some_and(|id| id != known) =>
            {
                Err(OAuthError::Malformed(TWO_PROOFS))
            }
            (Some(Authorization::Basic(Some((id, secret)))), _) => {
                Ok(Some(ClientCredentials { id: id.clone(), secret: Some(secret.clone()) }))
            }
            (_, Some(id)) => Ok(Some(ClientCredentials { id: id.to_owned(), secret })),
            (_, None) if secret.is_some() => Err(OAuthError::InvalidClient),
            (_, None) => Ok(None),
        }
    }
}

/// What the protocol has no word for keeps its status.
fn unreadable(problem: UnreadableRequest) -> Failure {
    let error = ApiError::from(problem);
    if error.status() == StatusCode::BAD_REQUEST { OAuthError::Malformed(UNREADABLE).into() } else { error.into() }
}

fn authorization(headers: &HeaderMap) -> Option<Authorization> {
    let value = headers.get(header::AUTHORIZATION)?;
    let (scheme, rest) = value.to_str().ok()?.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(Authorization::Bearer(Secret::given(rest.trim()))).filter(|_| !rest.trim().is_empty());
    }
    scheme.eq_ignore_ascii_case("basic").then(|| Authorization::Basic(basic(rest.trim())))
}

/// Id and secret, which are encoded as in forms before they are joined (RFC 6749).
fn basic(encoded: &str) -> Option<(String, Secret)> {
    let decoded = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
    let (id, secret) = decoded.split_once(':')?;
    let plain = |text: &str| Some(percent_decode_str(&text.replace('+', " ")).decode_utf8().ok()?.into_owned());
    Some((plain(id).filter(|id| !id.is_empty())?, Secret::given(plain(secret)?)))
}

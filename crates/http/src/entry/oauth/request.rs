//! A request to an endpoint of OAuth 2.0. Its parameters are in the query and in the body; if both name one, the body
//! decides.

use actix_web::HttpRequest;
use actix_web::http::header::HeaderMap;
use actix_web::http::{Method, StatusCode};
use actix_web::web::Payload;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use tenon_app::Secret;
use tenon_app::error::AppError;
use tenon_app::identity::Credential;
use tenon_app::oauth::{ClientCredentials, OAuthError};
use tenon_edge::body;
use tenon_edge::client::client_of;
use tenon_edge::credentials;
use tenon_edge::error::ApiError;
use tenon_edge::param_map::ParamMap;
use tenon_edge::unreadable::UnreadableRequest;

use super::answer::Failure;
use crate::entry::api::MAX_QUERY;
use crate::entry::state::Http;

const REPEATED: &str = "A parameter is included more than once.";
const NOT_TEXT: &str = "A parameter is not a text.";
const UNREADABLE: &str = "The parameters cannot be read.";
const TWO_PROOFS: &str = "The client has presented itself in more than one way.";

/// The parameters and the credentials of a request.
pub(super) struct OAuthRequest {
    params: ParamMap,
    /// Basic authentication, if there is one.
    basic: Option<Basic>,
    /// The access token that makes the request, in any of the places where the API takes one.
    caller: Result<Option<Secret>, ApiError>,
}

/// How a client presents itself by Basic authentication.
enum Basic {
    /// With this id, and a secret if it has one.
    Client(ClientCredentials),
    /// The header cannot be read.
    Unreadable,
}

impl OAuthRequest {
    /// Receives the request. It is as small as one of an anonymous caller may be.
    pub(super) async fn receive(http: &Http, request: &HttpRequest, payload: Payload) -> Result<Self, Failure> {
        let basic = basic(request.headers());
        if request.query_string().len() > MAX_QUERY {
            return Err(unreadable(UnreadableRequest::QueryTooLong));
        }
        let query = ParamMap::from_query(request.query_string().as_bytes()).map_err(unreadable)?;
        let params = if *request.method() == Method::POST || body::is_form(request.headers()) {
            let limit = usize::try_from(http.app().limits().bodies.anonymous).unwrap_or(usize::MAX);
            let reserved = http.edge().small_bodies().reserve(client_of(http.edge(), request), 0);
            let mut reservation = reserved.map_err(|_exhausted| ApiError::from(AppError::Busy { retry_after: 2 }))?;
            let bytes = body::receive(request.headers(), payload, limit, &mut reservation).await.map_err(unreadable)?;
            let body = body::parse(request.headers(), bytes).await.map_err(unreadable)?;
            query.overridden_by(body.values)
        } else {
            query
        };
        let presented = credentials::present(&params.values, request.headers(), http.app().base_url());
        let caller = presented.map(|presented| match presented.credential {
            Some(Credential::Token(token)) => Some(Secret::given(token)),
            Some(
                Credential::FeedToken(_) | Credential::Session { .. } | Credential::User(_) | Credential::SignIn(_),
            )
            | None => None,
        });
        Ok(Self { params, basic, caller })
    }

    /// True if the client presented itself by Basic authentication.
    pub(super) fn came_with_basic(&self) -> bool {
        self.basic.is_some()
    }

    /// The access token that makes the request: in `Authorization: Bearer`, as a parameter, or in `Private-Token`.
    pub(super) fn caller(&self) -> Result<Option<Secret>, Failure> {
        match &self.caller {
            Ok(token) => Ok(token.clone()),
            // Two tokens that differ.
            Err(error) if error.status() == StatusCode::UNAUTHORIZED => Err(OAuthError::InvalidToken.into()),
            Err(error) => Err(error.clone().into()),
        }
    }

    /// A parameter; empty is absent.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, OAuthError> {
        if self.params.repeated.contains_key(name) {
            return Err(OAuthError::Malformed(REPEATED));
        }
        match self.params.values.get(name) {
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
        match (&self.basic, id) {
            (Some(Basic::Unreadable), _) => Err(OAuthError::InvalidClient),
            (Some(Basic::Client(known)), id) if secret.is_some() || id.is_some_and(|id| id != known.id) => {
                Err(OAuthError::Malformed(TWO_PROOFS))
            }
            (Some(Basic::Client(known)), _) => Ok(Some(known.clone())),
            (None, Some(id)) => Ok(Some(ClientCredentials { id: id.to_owned(), secret })),
            (None, None) if secret.is_some() => Err(OAuthError::InvalidClient),
            (None, None) => Ok(None),
        }
    }
}

/// A failure for which the protocol has no word keeps its status.
fn unreadable(problem: UnreadableRequest) -> Failure {
    let error = ApiError::from(problem);
    if error.status() == StatusCode::BAD_REQUEST { OAuthError::Malformed(UNREADABLE).into() } else { error.into() }
}

/// Id and secret, which are encoded as in forms before they are joined (RFC 6749). A client without a secret sends an
/// empty one.
fn basic(headers: &HeaderMap) -> Option<Basic> {
    let (id, secret) = credentials::basic(headers)?;
    let plain = |text: &str| Some(percent_decode_str(&text.replace('+', " ")).decode_utf8().ok()?.into_owned());
    Some(match (plain(&id), plain(&secret)) {
        (Some(id), Some(secret)) if !id.is_empty() => {
            let secret = Some(Secret::given(secret)).filter(|secret| !secret.expose().is_empty());
            Basic::Client(ClientCredentials { id, secret })
        }
        _ => Basic::Unreadable,
    })
}

//! The endpoints of OAuth 2.0 and `OpenID` Connect, which are outside the API: tokens, facts about them, their users,
//! and the metadata of this server.

mod answer;
mod discovery;
mod request;

use std::time::Instant;

use actix_web::http::Method;
use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};
use tenon_app::App;
use tenon_app::error::AppError;
use tenon_app::identity::{Credential, Guard, Identity};
use tenon_app::oauth::{self, GrantRequest, Introspector, OAuthError, Refusal, TokenReport, TokenRequest};
use tenon_domain::id::UserId;
use tenon_domain::token::{Scope, ScopeRule};
use tenon_edge::client::{app_used_by, client_with};
use tenon_edge::error::ApiError;
use tenon_edge::finish::{UNKNOWN_ROUTE, finish};

use self::answer::{Failure, never_stored, refused};
use self::request::OAuthRequest;
use super::state::Http;

const TOKEN: &str = "/oauth/token";
const DEVICE: &str = "/oauth/authorize_device";
const REVOKE: &str = "/oauth/revoke";
const INTROSPECT: &str = "/oauth/introspect";
const INFO: &str = "/oauth/token/info";
const USERINFO: &str = "/oauth/userinfo";
const KEYS: &str = "/oauth/discovery/keys";
const OPENID: &str = "/.well-known/openid-configuration";
const SERVER: &str = "/.well-known/oauth-authorization-server";

/// The grant type of a device.
const DEVICE_CODE: &str = "urn:ietf:params:oauth:grant-type:device_code";
/// The path of the page on which users enter the code of a device.
const DEVICE_PAGE: &str = "/oauth/device";

/// The paths that are served here.
pub(crate) const PATHS: [&str; 9] = [TOKEN, DEVICE, REVOKE, INTROSPECT, INFO, USERINFO, KEYS, OPENID, SERVER];

/// Answers a request to one of [`PATHS`].
pub(crate) async fn serve(http: Http, request: HttpRequest, payload: Payload) -> HttpResponse {
    let started = Instant::now();
    let route = PATHS.into_iter().find(|path| *path == request.path()).unwrap_or(UNKNOWN_ROUTE);
    let outcome = match OAuthRequest::receive(&http, &request, payload).await {
        Ok(sent) => answer(&http, &request, route, &sent).await,
        Err(failure) => Err((failure, false)),
    };
    let response = outcome.unwrap_or_else(|(failure, by_header)| refused(failure, by_header));
    finish(http.edge(), request.method(), route, Ok(response), started)
}

/// The answer; or the failure, and whether the client presented itself in a header.
async fn answer(
    http: &Http,
    request: &HttpRequest,
    route: &str,
    sent: &OAuthRequest,
) -> Result<HttpResponse, (Failure, bool)> {
    let in_body = sent.secret("access_token").ok().flatten().map(|token| Credential::Token(token.expose().to_owned()));
    let client = client_with(http.edge(), request, in_body.as_ref()).await;
    let client = client.map_err(|fault| (ApiError::from(fault).into(), sent.came_with_basic()))?;
    let app = app_used_by(http.edge(), request, client);
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let posts = *request.method() == Method::POST;
    let body = match route {
        TOKEN if posts => token(&app, sent).await,
        DEVICE if posts => device(&app, sent).await,
        REVOKE if posts => revoke(&app, sent).await,
        INTROSPECT if posts => introspect(&app, sent).await,
        INFO if reads => info(&app, sent).await,
        USERINFO if reads || posts => userinfo(&app, sent).await,
        KEYS if reads => {
            app.token_key().map(|key| json!({ "keys": [key] })).map_err(|error| Failure::from(Refusal::from(error)))
        }
        OPENID | SERVER if reads => Ok(discovery::document(app.base_url())),
        TOKEN | DEVICE | REVOKE | INTROSPECT => Err(ApiError::method_not_allowed("OPTIONS, POST").into()),
        USERINFO => Err(ApiError::method_not_allowed("OPTIONS, GET, HEAD, POST").into()),
        _ => Err(ApiError::method_not_allowed("OPTIONS, GET, HEAD").into()),
    };
    body.map(|body| never_stored(&body)).map_err(|failure| (failure, sent.came_with_basic()))
}

/// `POST /oauth/token`.
async fn token(app: &App, sent: &OAuthRequest) -> Result<Value, Failure> {
    let grant = match sent.required("grant_type")? {
        "authorization_code" => GrantRequest::Code {
            code: sent.required_secret("code")?,
            redirect_uri: sent.required("redirect_uri")?.to_owned(),
            verifier: sent.secret("code_verifier")?,
        },
        "refresh_token" => GrantRequest::Refresh(sent.required_secret("refresh_token")?),
        "password" => GrantRequest::Password {
            username: sent.required("username")?.to_owned(),
            password: sent.required_secret("password")?,
        },
        "client_credentials" => GrantRequest::Client,
        DEVICE_CODE => GrantRequest::Device(sent.required_secret("device_code")?),
        _ => return Err(OAuthError::UnsupportedGrantType.into()),
    };
    let scope = sent.text("scope")?.map(ToOwned::to_owned);
    let issued = app.issue_tokens(TokenRequest { client: sent.client()?, grant, scope }).await?;
    let mut body = json!({
        "access_token": issued.access.expose(),
        "token_type": "Bearer",
        "expires_in": issued.expires_in,
        "scope": issued.scopes.to_string(),
        "created_at": issued.created_at.timestamp(),
    });
    for (name, token) in [("refresh_token", issued.refresh), ("id_token", issued.identity)] {
        if let (Some(token), Some(body)) = (token, body.as_object_mut()) {
            body.insert(name.to_owned(), token.expose().into());
        }
    }
    Ok(body)
}

/// `POST /oauth/authorize_device`.
async fn device(app: &App, sent: &OAuthRequest) -> Result<Value, Failure> {
    let client = sent.client()?.ok_or(OAuthError::InvalidClient)?;
    let scope = sent.text("scope")?.map(ToOwned::to_owned);
    let begun = app.authorize_device(client, scope).await?;
    let (page, code) = (format!("{}{DEVICE_PAGE}", app.base_url()), begun.user_code.as_str());
    Ok(json!({
        "device_code": begun.device_code.expose(),
        "user_code": code,
        "verification_uri": page,
        "verification_uri_complete": format!("{page}?user_code={code}"),
        "expires_in": begun.expires_in,
        "interval": begun.interval,
    }))
}

/// `POST /oauth/revoke`.
async fn revoke(app: &App, sent: &OAuthRequest) -> Result<Value, Failure> {
    let presented = sent.required_secret("token")?;
    app.revoke_token(sent.client()?, presented).await?;
    Ok(json!({}))
}

/// `POST /oauth/introspect`.
async fn introspect(app: &App, sent: &OAuthRequest) -> Result<Value, Failure> {
    let by = match (sent.client()?, sent.caller()?) {
        (Some(client), _) => Introspector::Client(client),
        (None, Some(bearer)) => Introspector::Bearer(bearer),
        (None, None) => return Err(OAuthError::InvalidClient.into()),
    };
    let presented = sent.required_secret("token")?;
    let TokenReport(known) = app.introspect(by, presented).await?;
    let Some(known) = known else { return Ok(json!({ "active": false })) };
    Ok(json!({
        "active": true,
        "scope": known.scopes.to_string(),
        "client_id": known.client_id,
        "token_type": "Bearer",
        "exp": known.expires_at.timestamp(),
        "iat": known.created_at.timestamp(),
    }))
}

/// `GET /oauth/token/info`.
async fn info(app: &App, sent: &OAuthRequest) -> Result<Value, Failure> {
    let bearer = sent.caller()?.ok_or(OAuthError::InvalidToken)?;
    let known = app.token_info(bearer).await?;
    let scopes: Vec<&str> = known.scopes.iter().map(Scope::as_str).collect();
    // Each name in both of its spellings.
    Ok(json!({
        "resource_owner_id": known.user.map(UserId::get),
        "scope": scopes,
        "scopes": scopes,
        "expires_in": known.expires_in,
        "expires_in_seconds": known.expires_in,
        "application": { "uid": known.client_id },
        "created_at": known.created_at.timestamp(),
    }))
}

/// `GET` and `POST /oauth/userinfo`.
async fn userinfo(app: &App, sent: &OAuthRequest) -> Result<Value, Failure> {
    let bearer = sent.caller()?.ok_or(OAuthError::InvalidToken)?;
    let identity = Identity {
        credential: Some(Credential::Token(bearer.expose().to_owned())),
        sudo: None,
        guard: Guard::SignedIn,
        scopes: ScopeRule::OpenId,
        reads: true,
    };
    let found = match app.read(&identity, oauth::userinfo).await {
        Ok(found) => found,
        Err(AppError::Unauthenticated) => return Err(OAuthError::InvalidToken.into()),
        Err(error) => return Err(ApiError::from(error).into()),
    };
    let mut body = json!({
        "sub": found.user.id.to_string(),
        "name": found.user.name,
        "nickname": found.user.username,
        "preferred_username": found.user.username,
        "profile": found.profile,
        "groups": found.groups,
    });
    let website = Some(found.user.profile.website_url).filter(|url| !url.is_empty());
    for (name, value) in [("email", found.email), ("website", website), ("picture", found.picture)] {
        if let (Some(value), Some(body)) = (value, body.as_object_mut()) {
            if name == "email" {
                body.insert("email_verified".to_owned(), found.email_verified.into());
            }
            body.insert(name.to_owned(), value.into());
        }
    }
    Ok(body)
}

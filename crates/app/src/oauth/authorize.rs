//! A user allows an application to act for them. Called by the page that asks the user.
//!
//! A request whose application or address is not known is answered to the user, and the browser is sent nowhere. Every
//! other refusal is sent to the application, in the address that it registered.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tenon_auth::{Secret, digest};
use tenon_domain::event::EventKind;
use tenon_domain::id::{GrantId, UserId};
use tenon_domain::oauth::{Application, ClientKind, Code, CodeChallenge, Grant, InvalidChallenge, is_registered};
use tenon_domain::time::TimeDelta;
use tenon_domain::token::{Scope, Scopes};
use tenon_storage::oauth::{application, grant};

use super::error::OAuthError;
use super::issue::{bounded, within};
use crate::core::app::{Command, Query};
use crate::core::error::AppError;

/// The longest `state` and `nonce`, in bytes: they are stored, or come back in an address.
const LONGEST: usize = 2_000;

/// The parameters of a request for authorization, as they were sent.
#[derive(Debug, Clone, Default)]
pub struct AuthorizationRequest {
    /// The application's id.
    pub client_id: Option<String>,
    /// The address to which the browser is to be sent with the answer.
    pub redirect_uri: Option<String>,
    /// The wanted response; only `code` is known.
    pub response_type: Option<String>,
    /// The scopes, separated by spaces.
    pub scope: Option<String>,
    /// Comes back with the answer.
    pub state: Option<String>,
    /// Of PKCE.
    pub code_challenge: Option<String>,
    /// `S256` or `plain`.
    pub code_challenge_method: Option<String>,
    /// Comes back in the ID token.
    pub nonce: Option<String>,
}

/// A request that can be granted: what the page shows.
#[derive(Debug, Clone)]
pub struct Authorization {
    /// Who asks.
    pub application: Application,
    /// The wanted scopes.
    pub scopes: Scopes,
    /// True if the user need not be asked: the application is trusted, or the user has granted it the same before.
    pub is_agreed: bool,
}

/// A request that cannot be granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotAuthorized {
    /// To be shown to the user; the browser is sent nowhere.
    Show(OAuthError),
    /// The browser is sent to this address, which tells the application why.
    Redirect(String),
}

/// A request that has been checked.
struct Checked {
    application: Application,
    scopes: Scopes,
    code: Code,
}

/// The address of the answer, once that is known.
struct Return<'a> {
    issuer: String,
    address: &'a str,
    state: Option<&'a str>,
}

impl Return<'_> {
    /// The address with the answer in it. It names this server, so that a client of several does not take the answer of one
    /// for that of another (RFC 9207).
    fn with(&self, answer: &[(&str, &str)]) -> String {
        let state = self.state.map(|state| ("state", state));
        let all = answer.iter().copied().chain(state).chain([("iss", self.issuer.as_str())]);
        let pairs: Vec<String> =
            all.map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC))).collect();
        let separator = if self.address.contains('?') { '&' } else { '?' };
        format!("{}{separator}{}", self.address, pairs.join("&"))
    }

    fn refusal(&self, error: OAuthError) -> NotAuthorized {
        NotAuthorized::Redirect(self.with(&[("error", error.code()), ("error_description", &error.description())]))
    }
}

/// The question to the user. The caller must be signed in.
pub fn review(
    query: &mut Query<'_>,
    request: &AuthorizationRequest,
) -> Result<Result<Authorization, NotAuthorized>, AppError> {
    let user = signed_in(query)?;
    let checked = match check(query, request)? {
        Ok((checked, _)) => checked,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let now = query.now;
    let Checked { application, scopes, .. } = checked;
    let is_agreed = application.trusted || grant::is_granted(&mut query.tx, application.id, user, &scopes, now)?;
    Ok(Ok(Authorization { application, scopes, is_agreed }))
}

/// Grants the request, for the signed-in user; yields the address that the browser is sent to, with the code in it.
pub fn authorize(
    command: &mut Command<'_>,
    request: &AuthorizationRequest,
) -> Result<Result<String, NotAuthorized>, AppError> {
    command.refuse_impersonated()?;
    let user = signed_in(&command.query())?;
    let (checked, back) = match check(&mut command.query(), request)? {
        Ok(checked) => checked,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let code = Secret::generate(command.app.entropy());
    let limits = &command.app.limits().oauth;
    let grant = Grant {
        id: GrantId::new(0),
        application: Some(checked.application.id),
        user: Some(user),
        scopes: checked.scopes,
        code: Some(checked.code),
        revoked: false,
        expires_at: command.now + within(limits.code).min(TimeDelta::minutes(10)),
        created_at: command.now,
    };
    grant::insert(&mut command.tx, &grant, Some(&digest(code.expose())))?;
    grant::delete_oldest(&mut command.tx, grant.application, grant.user, bounded(limits.grants))?;
    let mut event = command.event(EventKind::TokenCreated).user(user);
    event.detail = Some(checked.application.uid);
    command.append(&event)?;
    Ok(Ok(back.with(&[("code", code.expose())])))
}

/// Refuses the request, for the signed-in user; yields the address that the browser is sent to.
pub fn deny(query: &mut Query<'_>, request: &AuthorizationRequest) -> Result<NotAuthorized, AppError> {
    signed_in(query)?;
    Ok(match check(query, request)? {
        Ok((_, back)) => back.refusal(OAuthError::AccessDenied),
        Err(refusal) => refusal,
    })
}

/// The user. A token must not make another one: it could get scopes that it does not have.
pub(super) fn signed_in(query: &Query<'_>) -> Result<UserId, AppError> {
    match query.caller.token {
        Some(_) => Err(AppError::Forbidden),
        None => Ok(query.user()?.id),
    }
}

/// True if the caller may grant an application these scopes, as the settings say. An administrator grants `admin_mode`
/// only if they act as such.
pub(super) fn may_grant(query: &mut Query<'_>, application: &Application, scopes: &Scopes) -> Result<bool, AppError> {
    let is_admin = query.user()?.admin;
    if is_admin && !query.is_admin() && scopes.contains(Scope::AdminMode) {
        return Ok(false);
    }
    may_grant_by_settings(query, is_admin, Some(application), scopes)
}

/// True if the settings let a user grant these scopes. They can keep administrators from granting more than their identity
/// to applications that are not trusted. `None` is an application that does not say which one it is.
pub(super) fn may_grant_by_settings(
    query: &mut Query<'_>,
    is_admin: bool,
    application: Option<&Application>,
    scopes: &Scopes,
) -> Result<bool, AppError> {
    let is_bound = is_admin && query.settings()?.protects_administrators_from_applications;
    let is_trusted = application.is_some_and(|application| application.trusted);
    Ok(!is_bound || is_trusted || scopes.iter().all(Scope::identifies_only))
}

fn check<'a>(
    query: &mut Query<'_>,
    request: &'a AuthorizationRequest,
) -> Result<Result<(Checked, Return<'a>), NotAuthorized>, AppError> {
    let show = |error| Ok(Err(NotAuthorized::Show(error)));
    let Some(client_id) = request.client_id.as_deref() else { return show(OAuthError::Missing("client_id")) };
    let found = if client_id.contains('\0') { None } else { application::by_uid(&mut query.tx, client_id)? };
    let Some((application, _)) = found else { return show(OAuthError::InvalidClient) };
    let Some(address) = request.redirect_uri.as_deref() else { return show(OAuthError::Missing("redirect_uri")) };
    if !is_registered(&application.redirect_uri, address) {
        return show(OAuthError::Malformed("The redirect URI included is not valid."));
    }
    let state = request.state.as_deref();
    if [state, request.nonce.as_deref()].into_iter().flatten().any(|text| text.len() > LONGEST || text.contains('\0')) {
        return show(OAuthError::Malformed(
            "The state or the nonce is too long, or has characters that are not allowed.",
        ));
    }
    let back = Return { issuer: query.app.base_url().to_owned(), address, state };
    match check_rest(&application, request) {
        Ok((scopes, _)) if !may_grant(query, &application, &scopes)? => Ok(Err(back.refusal(OAuthError::AccessDenied))),
        Ok((scopes, challenge)) => {
            let redirect_uri = address.to_owned();
            let code = Code { redirect_uri, challenge, nonce: request.nonce.clone(), used: false };
            Ok(Ok((Checked { application, scopes, code }, back)))
        }
        Err(error) => Ok(Err(back.refusal(error))),
    }
}

fn check_rest(
    application: &Application,
    request: &AuthorizationRequest,
) -> Result<(Scopes, Option<CodeChallenge>), OAuthError> {
    match request.response_type.as_deref() {
        Some("code") => {}
        Some(_) => return Err(OAuthError::UnsupportedResponseType),
        None => return Err(OAuthError::Missing("response_type")),
    }
    let challenge = match (request.code_challenge.as_deref(), request.code_challenge_method.as_deref()) {
        (Some(value), method) => Some(CodeChallenge::parse(value, method).map_err(|invalid| match invalid {
            InvalidChallenge::Method => OAuthError::InvalidChallengeMethod,
            InvalidChallenge::Value => OAuthError::Malformed("The code challenge is not valid."),
        })?),
        // A client that names a method means to be protected by it.
        (None, Some(_)) => return Err(OAuthError::Missing("code_challenge")),
        (None, None) if application.kind == ClientKind::Public => return Err(OAuthError::Missing("code_challenge")),
        (None, None) => None,
    };
    let scopes = super::issue::asked(request.scope.as_deref())?;
    let scopes = application.grantable(scopes.as_ref()).ok_or(OAuthError::InvalidScope)?;
    Ok((scopes, challenge))
}

//! The page on which a user allows an application to act for them.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::oauth::{self, AuthorizationRequest, NotAuthorized, OAuthError};
use tenon_domain::token::{Scope, Scopes};

use super::parameter::sent;
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::address;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;

#[derive(Template)]
#[template(path = "oauth/authorize.html")]
struct ConsentPage {
    frame: Frame,
    application: String,
    goes_to: String,
    scopes: Vec<ScopeRow>,
    /// The parameters of the request, which both buttons send back.
    fields: Vec<(&'static str, String)>,
}

/// A scope that an application asks for.
pub(super) struct ScopeRow {
    pub(super) name: &'static str,
    pub(super) words: &'static str,
}

pub(super) fn rows(scopes: &Scopes) -> Vec<ScopeRow> {
    scopes.iter().map(|scope| ScopeRow { name: scope.as_str(), words: words(scope) }).collect()
}

#[derive(Template)]
#[template(path = "oauth/refused.html")]
struct RefusedPage {
    frame: Frame,
    description: String,
}

/// Asks the user. Scopes that the user has granted before, and those of trusted applications, are granted at once.
pub(super) async fn review(context: RequestContext) -> Result<Answer, PageError> {
    let request = asked(|name| context.query(name).map(ToOwned::to_owned));
    let reviewed = request.clone();
    let (frame, outcome) = context.read(move |query| oauth::review(query, &reviewed)).await?;
    let authorization = match outcome {
        Ok(authorization) => authorization,
        Err(refusal) => return refused(frame, refusal),
    };
    if authorization.is_agreed {
        // The only GET that writes. The user has agreed to exactly this before, or need not be asked.
        let granted = context.write(move |command| oauth::authorize(command, &request)).await?;
        return follow(frame, granted);
    }
    let goes_to = request.redirect_uri.clone().unwrap_or_default();
    let page = ConsentPage {
        frame,
        application: authorization.application.name,
        scopes: rows(&authorization.scopes),
        fields: fields(&request),
        goes_to: goes_to.clone(),
    };
    Ok(Answer::page(&page)?.form_target(address::form_source(&goes_to)))
}

/// The user allows it.
pub(super) async fn approve(context: RequestContext) -> Result<Answer, PageError> {
    let request = posted(&context);
    let granted = context.write(move |command| oauth::authorize(command, &request)).await?;
    follow(context.frame().await?, granted)
}

/// The user refuses it.
pub(super) async fn deny(context: RequestContext) -> Result<Answer, PageError> {
    let request = posted(&context);
    let (frame, refusal) = context.read(move |query| oauth::deny(query, &request)).await?;
    refused(frame, refusal)
}

fn follow(frame: Frame, granted: Result<String, NotAuthorized>) -> Result<Answer, PageError> {
    match granted {
        Ok(address) => Ok(Answer::to(&address)),
        Err(refusal) => refused(frame, refusal),
    }
}

fn refused(frame: Frame, refusal: NotAuthorized) -> Result<Answer, PageError> {
    match refusal {
        NotAuthorized::Redirect(address) => Ok(Answer::to(&address)),
        NotAuthorized::Show(error) => {
            let status = match error {
                OAuthError::InvalidClient => StatusCode::UNAUTHORIZED,
                _ => StatusCode::BAD_REQUEST,
            };
            Ok(Answer::page(&RefusedPage { frame, description: error.description() })?.status(status))
        }
    }
}

fn posted(context: &RequestContext) -> AuthorizationRequest {
    asked(|name| sent(context, name))
}

fn asked(parameter: impl Fn(&str) -> Option<String>) -> AuthorizationRequest {
    AuthorizationRequest {
        client_id: parameter("client_id"),
        redirect_uri: parameter("redirect_uri"),
        response_type: parameter("response_type"),
        scope: parameter("scope"),
        state: parameter("state"),
        code_challenge: parameter("code_challenge"),
        code_challenge_method: parameter("code_challenge_method"),
        nonce: parameter("nonce"),
    }
}

fn fields(request: &AuthorizationRequest) -> Vec<(&'static str, String)> {
    let all = [
        ("client_id", &request.client_id),
        ("redirect_uri", &request.redirect_uri),
        ("response_type", &request.response_type),
        ("scope", &request.scope),
        ("state", &request.state),
        ("code_challenge", &request.code_challenge),
        ("code_challenge_method", &request.code_challenge_method),
        ("nonce", &request.nonce),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value.clone()?))).collect()
}

/// The permissions that a scope gives an application, in words.
pub(super) const fn words(scope: Scope) -> &'static str {
    match scope {
        Scope::Api => "Full access to your account",
        Scope::ReadApi => "Read-only access to your account",
        Scope::ReadUser => "Read your profile",
        Scope::Sudo => "Perform API actions as any user (administrators only)",
        Scope::ReadRepository => "Read your repositories",
        Scope::WriteRepository => "Write to your repositories",
        Scope::OpenId => "Authenticate you",
        Scope::Profile => "Read your name and avatar",
        Scope::Email => "Read your email address",
        Scope::ReadRegistry => "Read container images",
        Scope::WriteRegistry => "Write container images",
        Scope::CreateRunner => "Register runners",
        Scope::SelfRotate => "Rotate its own token",
        Scope::AdminMode => "Perform administrative actions (administrators only)",
        Scope::K8sProxy => "Use Kubernetes clusters",
    }
}

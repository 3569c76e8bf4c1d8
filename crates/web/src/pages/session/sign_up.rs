//! Making an account.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::Secret;
use tenon_app::error::AppError;
use tenon_app::member::{self, OpenInvitation};
use tenon_app::user::SignUp;

use tenon_domain::refusal::{Refusal, UserRefusal};
use tenon_domain::settings::PasswordRules;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::address::in_query;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;
use crate::kit::return_to::ReturnTo;

#[derive(Template)]
#[template(path = "session/sign_up.html")]
struct SignUpPage {
    frame: Frame,
    problems: Problems,
    return_to: ReturnTo,
    name: String,
    username: String,
    email: String,
    /// The token of an invitation; empty if there is none.
    invitation: String,
    passwords: PasswordRules,
}

#[derive(Default)]
struct FormValues {
    name: String,
    username: String,
    email: String,
    invitation: String,
}

const INVITATION: &str = "invite_token";

/// The invitation of this token, if it counts.
async fn invited(context: &RequestContext, token: &str) -> Result<Option<OpenInvitation>, PageError> {
    if token.is_empty() {
        return Ok(None);
    }
    let token = Secret::given(token);
    Ok(context.read(move |query| member::invitation_of(query, &token)).await?.1)
}

/// 404 if users may not sign up.
pub(super) async fn form(context: RequestContext) -> Result<Answer, PageError> {
    if !context.app().known_settings().allows_sign_up {
        return Err(PageError::NotFound);
    }
    let frame = context.frame().await?;
    if frame.user.is_some() {
        return Ok(Answer::to(&context.destination()));
    }
    let invitation = context.query(INVITATION).unwrap_or_default().to_owned();
    let email = match invited(&context, &invitation).await? {
        Some(found) => found.invitation.address,
        None => String::new(),
    };
    page(&context, frame, Problems::default(), FormValues { email, invitation, ..FormValues::default() })
}

/// Makes the account, and signs its user in. It does not sign in if the address has to be confirmed first, or the
/// account approved.
pub(super) async fn submit(context: RequestContext) -> Result<Answer, PageError> {
    const FORM: &str = "user";
    let form = context.form();
    let typed = FormValues {
        name: form.filled(FORM, "name").unwrap_or_default(),
        username: form.filled(FORM, "username").unwrap_or_default(),
        email: form.filled(FORM, "email").unwrap_or_default(),
        invitation: form.text("", INVITATION),
    };
    let request = SignUp {
        username: typed.username.clone(),
        name: typed.name.clone(),
        email: typed.email.clone(),
        email_confirmation: form.filled(FORM, "email_confirmation"),
        password: form.secret(FORM, "password"),
        invitation: Some(&typed.invitation).filter(|token| !token.is_empty()).map(Secret::given),
    };
    match context.app_of_stranger().sign_up(request).await {
        Ok(user) if user.confirmed_at.is_none() || !user.may_act() => {
            let next = match (user.confirmed_at, user.may_act()) {
                (None, false) => Flash::LinkSentAwaitsApproval,
                (None, true) => Flash::LinkSent,
                (Some(_), _) => Flash::AwaitsApproval,
            };
            let form = context.return_to().through(&context.own("/users/sign_in"));
            Ok(Answer::to(&form).cookie(cookie::of_flash(next)))
        }
        Ok(user) => {
            let started = context.app().start_session(user.id, context.browser(false)).await?;
            // The link of an invitation that was not used yet is for another address: its page asks.
            let next = match invited(&context, &typed.invitation).await? {
                Some(_) => context.own(&format!("/invites?{INVITATION}={}", in_query(&typed.invitation))),
                None => context.destination(),
            };
            let mut answer = Answer::to(&next).cookie(cookie::of_flash(Flash::SignedUp));
            answer.cookies.extend(cookie::of_session(&started));
            Ok(answer)
        }
        // The server accepts no new users, and no change of the form would help.
        Err(error @ AppError::Refused(Refusal::User(UserRefusal::NoSignUp))) => Err(error.into()),
        Err(error) => {
            let problems = Problems::of(error)?;
            Ok(page(&context, context.frame().await?, problems, typed)?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

fn page(context: &RequestContext, frame: Frame, problems: Problems, typed: FormValues) -> Result<Answer, PageError> {
    let FormValues { name, username, email, invitation } = typed;
    let return_to = context.return_to().clone();
    let passwords = context.app().known_settings().passwords;
    Answer::page(&SignUpPage { frame, problems, return_to, name, username, email, invitation, passwords })
}

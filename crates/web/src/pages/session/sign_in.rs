//! The page to sign in.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::passkey::PasskeyError;
use tenon_app::session::{SignIn, SignInRefusal, SignedIn, StartedSession};
use tenon_app::{Secret, markdown};

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::return_to::ReturnTo;

#[derive(Template)]
#[template(path = "session/sign_in.html")]
struct SignInPage {
    frame: Frame,
    problem: Option<String>,
    login: String,
    return_to: ReturnTo,
    remembered: bool,
    takes_passwords: bool,
    /// The second factor that the page asks for, because the password was right.
    awaited: Option<Awaited>,
    /// True if users can sign in with a passkey alone.
    takes_passkeys: bool,
    /// The providers with whose accounts users sign in: their names in addresses and on the page.
    providers: Vec<(String, String)>,
    signs_up: bool,
    may_be_remembered: bool,
    /// The page to sign up.
    sign_up: String,
    /// The page that asks for a link to choose a new password.
    password_reset: String,
    /// Safe HTML, made by the renderer of Markdown.
    text: Option<String>,
}

/// The second factors of the user whose password was right.
struct Awaited {
    codes: bool,
    passkeys: bool,
}

/// The initial values of the form.
#[derive(Default)]
pub(super) struct FormValues {
    login: String,
    remembered: bool,
}

pub(super) async fn form(context: RequestContext) -> Result<Answer, PageError> {
    let (context, awaited) = awaiting(context).await?;
    let frame = context.frame().await?;
    if frame.user.is_some() {
        return Ok(Answer::to(&context.destination()));
    }
    let has_ended = context.has_session() && awaited.is_none();
    let answer = page(&context, frame, None, FormValues::default(), awaited).await?;
    // The cookie stays, because the token in the form belongs to it. The next session replaces the cookie.
    Ok(if has_ended { answer.clearing_cache() } else { answer })
}

pub(super) async fn submit(context: RequestContext) -> Result<Answer, PageError> {
    let form = context.form();
    let typed = FormValues { login: form.text("user", "login"), remembered: form.ticked("user", "remember_me") };
    if form.has("user", "otp_attempt") {
        let code = form.text("user", "otp_attempt");
        return second_step(context, typed, code).await;
    }
    let request = SignIn {
        login: typed.login.clone(),
        password: form.secret("user", "password"),
        browser: context.browser(typed.remembered),
    };
    let problem = match context.app_of_stranger().sign_in(request).await? {
        Ok(SignedIn::Started(started)) => {
            return Ok(signed_in(&context, context.return_to(), &started));
        }
        Ok(SignedIn::AwaitsSecondFactor(cookie)) => {
            let form = context.return_to().through(&context.own("/users/sign_in"));
            return Ok(Answer::to(&form).cookie(cookie::awaiting_second_factor(&cookie)));
        }
        Err(refusal) => words(refusal),
    };
    let frame = context.frame().await?;
    Ok(page(&context, frame, Some(problem), typed, None).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// Checks the code that follows the password.
async fn second_step(context: RequestContext, typed: FormValues, code: String) -> Result<Answer, PageError> {
    let browser = context.browser(false);
    let cookie = context.session_cookie();
    let problem = match context.app_of_stranger().complete_sign_in(cookie, Secret::given(code), browser).await? {
        Ok(started) => return Ok(signed_in(&context, context.return_to(), &started)),
        Err(refusal) => words(refusal),
    };
    refused(context, problem, typed).await
}

/// The page again, with the reason why the user is not in.
pub(super) async fn refused(context: RequestContext, problem: &str, typed: FormValues) -> Result<Answer, PageError> {
    let (context, awaited) = awaiting(context).await?;
    let frame = context.frame().await?;
    Ok(page(&context, frame, Some(problem), typed, awaited).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// The answer to a user who is in.
pub(super) fn signed_in(context: &RequestContext, return_to: &ReturnTo, started: &StartedSession) -> Answer {
    let mut answer = Answer::to(&after(context, return_to, started));
    answer.cookies.extend(cookie::of_session(started));
    answer
}

/// The address to which a new session leads. If a second factor has to be set up, the page that says so comes first.
fn after(context: &RequestContext, return_to: &ReturnTo, started: &StartedSession) -> String {
    if started.second_factor_due {
        return_to.through(&context.own("/profile/two_factor_auth"))
    } else {
        return_to.or(context.own("/"))
    }
}

/// The second factor that the page asks for, if the password was right. The page is then made for that user.
async fn awaiting(context: RequestContext) -> Result<(RequestContext, Option<Awaited>), PageError> {
    if !context.has_session() {
        return Ok((context, None));
    }
    Ok(match context.app().awaiting_second_factor(context.session_cookie()).await? {
        Some(found) => {
            let passkeys = found.takes_passkeys && found.app.has_passkeys();
            let awaited = Awaited { codes: found.takes_codes, passkeys };
            (context.with_app(found.app), Some(awaited))
        }
        None => (context, None),
    })
}

pub(super) const fn words(refusal: SignInRefusal) -> &'static str {
    match refusal {
        SignInRefusal::Wrong => "Invalid username or password.",
        SignInRefusal::Blocked => {
            "Your account has been blocked. Please contact your Tenon administrator if you think this is an error."
        }
        SignInRefusal::Banned => {
            "Your account has been banned. Please contact your Tenon administrator if you think this is an error."
        }
        SignInRefusal::Pending => "Your account is pending approval by your Tenon administrator.",
        SignInRefusal::Unconfirmed => "You have to confirm your email address before continuing.",
        SignInRefusal::NotAccepted => "Password authentication is disabled for the web interface.",
        SignInRefusal::WrongCode => "Invalid two-factor code.",
        SignInRefusal::WrongPasskey(PasskeyError::NotVerified) => {
            "Your passkey must verify you by PIN, fingerprint or face to sign in without a password."
        }
        SignInRefusal::WrongPasskey(PasskeyError::Cloned) => {
            "This passkey was refused because a copy of it has been used. Remove it from your account."
        }
        SignInRefusal::WrongPasskey(PasskeyError::OtherRequest) => "Your sign-in has expired. Please try again.",
        SignInRefusal::WrongPasskey(_) => "Your passkey could not be verified.",
        SignInRefusal::PasswordFirst => "Your sign-in has expired. Please sign in again.",
    }
}

async fn page(
    context: &RequestContext,
    frame: Frame,
    problem: Option<&str>,
    typed: FormValues,
    awaited: Option<Awaited>,
) -> Result<Answer, PageError> {
    let settings = context.app().known_settings();
    let text = match settings.sign_in_text.clone() {
        Some(text) => Some(context.read(move |query| markdown::render(query, &text, None)).await?.1),
        None => None,
    };
    let return_to = context.return_to().clone();
    let FormValues { login, remembered } = typed;
    let takes_passwords = settings.password_authentication_enabled_for_web;
    let signs_up = settings.allows_sign_up;
    let page = SignInPage {
        frame,
        problem: problem.map(str::to_owned),
        login,
        return_to,
        remembered,
        takes_passwords,
        awaited,
        providers: context.app().providers().map(|one| (one.name.clone(), one.label.clone())).collect(),
        takes_passkeys: context.app().has_passkeys(),
        signs_up,
        may_be_remembered: settings.accounts.may_be_remembered,
        sign_up: context.own("/users/sign_up"),
        password_reset: context.own("/users/password/new"),
        text,
    };
    Answer::page(&page)
}

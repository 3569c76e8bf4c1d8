//! The page to sign in.

use actix_web::http::StatusCode;
use askama::Template;
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
    problem: Option<&'static str>,
    login: String,
    return_to: ReturnTo,
    remembered: bool,
    takes_passwords: bool,
    /// True if the password was right, and the page asks for the code of the second factor.
    asks_for_code: bool,
    signs_up: bool,
    /// The page to sign up.
    sign_up: String,
    /// The page that asks for a link to choose a new password.
    password_reset: String,
    /// Safe HTML, made by the renderer of Markdown.
    text: Option<String>,
}

/// The initial values of the form.
#[derive(Default)]
struct FormValues {
    login: String,
    remembered: bool,
    asks_for_code: bool,
}

pub(super) async fn form(context: RequestContext) -> Result<Answer, PageError> {
    let (context, asks_for_code) = awaiting(context).await?;
    let frame = context.frame().await?;
    if frame.user.is_some() {
        return Ok(Answer::to(&context.destination()));
    }
    let has_ended = context.has_session() && !asks_for_code;
    let answer = page(&context, frame, None, FormValues { asks_for_code, ..FormValues::default() }).await?;
    // The cookie stays, because the token in the form belongs to it. The next session replaces the cookie.
    Ok(if has_ended { answer.clearing_cache() } else { answer })
}

pub(super) async fn submit(context: RequestContext) -> Result<Answer, PageError> {
    let form = context.form();
    let typed = FormValues {
        login: form.text("user", "login"),
        remembered: form.ticked("user", "remember_me"),
        asks_for_code: false,
    };
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
            let mut answer = Answer::to(&after(&context, &started));
            answer.cookies.extend(cookie::of_session(&started));
            return Ok(answer);
        }
        Ok(SignedIn::AwaitsSecondFactor(cookie)) => {
            let form = context.return_to().through(&context.own("/users/sign_in"));
            return Ok(Answer::to(&form).cookie(cookie::awaiting_second_factor(&cookie)));
        }
        Err(refusal) => words(refusal),
    };
    let frame = context.frame().await?;
    Ok(page(&context, frame, Some(problem), typed).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// Checks the code that follows the password.
async fn second_step(context: RequestContext, typed: FormValues, code: String) -> Result<Answer, PageError> {
    let browser = context.browser(false);
    let cookie = context.session_cookie();
    let problem = match context.app_of_stranger().complete_sign_in(cookie, Secret::given(code), browser).await? {
        Ok(started) => {
            let mut answer = Answer::to(&after(&context, &started));
            answer.cookies.extend(cookie::of_session(&started));
            return Ok(answer);
        }
        Err(refusal) => words(refusal),
    };
    let (context, asks_for_code) = awaiting(context).await?;
    let (frame, typed) = (context.frame().await?, FormValues { asks_for_code, ..typed });
    Ok(page(&context, frame, Some(problem), typed).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// The address to which a new session leads. If a second factor has to be set up, the page that says so comes first.
fn after(context: &RequestContext, started: &StartedSession) -> String {
    if started.second_factor_due {
        context.return_to().through(&context.own("/profile/two_factor_auth"))
    } else {
        context.destination()
    }
}

/// True if the password was right, and the page asks for a code. The page is then made for that user.
async fn awaiting(context: RequestContext) -> Result<(RequestContext, bool), PageError> {
    if !context.has_session() {
        return Ok((context, false));
    }
    Ok(match context.app().awaiting_second_factor(context.session_cookie()).await? {
        Some(app) => (context.with_app(app), true),
        None => (context, false),
    })
}

const fn words(refusal: SignInRefusal) -> &'static str {
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
        SignInRefusal::PasswordFirst => "Your sign-in has expired. Please sign in again.",
    }
}

async fn page(
    context: &RequestContext,
    frame: Frame,
    problem: Option<&'static str>,
    typed: FormValues,
) -> Result<Answer, PageError> {
    let settings = context.app().known_settings();
    let text = match settings.sign_in_text.clone() {
        Some(text) => Some(context.read(move |query| markdown::render(query, &text, None)).await?.1),
        None => None,
    };
    let return_to = context.return_to().clone();
    let FormValues { login, remembered, asks_for_code } = typed;
    let takes_passwords = settings.password_authentication_enabled_for_web;
    let signs_up = settings.allows_sign_up;
    let page = SignInPage {
        frame,
        problem,
        login,
        return_to,
        remembered,
        takes_passwords,
        asks_for_code,
        signs_up,
        sign_up: context.own("/users/sign_up"),
        password_reset: context.own("/users/password/new"),
        text,
    };
    Answer::page(&page)
}

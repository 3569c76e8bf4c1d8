//! The page to sign in.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::Secret;
use tenon_app::markdown;
use tenon_app::session::{self, SignIn, SignInRefusal, SignedIn, StartedSession};

use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::frame::Frame;
use crate::return_to::ReturnTo;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "session/sign_in.html")]
struct SignInPage {
    frame: Frame,
    problem: Option<&'static str>,
    login: String,
    return_to: ReturnTo,
    remembered: bool,
    takes_passwords: bool,
    /// Whether the password was right, and the code of the second factor is asked for.
    asks_for_code: bool,
    signs_up: bool,
    /// The page to sign up.
    sign_up: String,
    /// The page that asks for a link to choose a new password.
    password_reset: String,
    /// HTML that is safe: made by the renderer of Markdown.
    text: Option<String>,
}

/// What the form holds already.
#[derive(Default)]
struct Typed {
    login: String,
    remembered: bool,
    asks_for_code: bool,
}

pub(super) async fn form(visit: Visit) -> Result<Answer, PageError> {
    let (frame, asks_for_code) = awaiting(&visit).await?;
    if frame.user.is_some() {
        return Ok(Answer::to(&visit.destination()));
    }
    let has_ended = visit.has_session() && !asks_for_code;
    let answer = page(&visit, frame, None, Typed { asks_for_code, ..Typed::default() }).await?;
    // The cookie stays: the token in the form of the page is that of the cookie, which the next session replaces.
    Ok(if has_ended { answer.clearing_cache() } else { answer })
}

pub(super) async fn submit(visit: Visit) -> Result<Answer, PageError> {
    let form = visit.form();
    let typed = Typed {
        login: form.text("user", "login"),
        remembered: form.ticked("user", "remember_me"),
        asks_for_code: false,
    };
    if form.has("user", "otp_attempt") {
        let code = form.text("user", "otp_attempt");
        return second_step(&visit, typed, code).await;
    }
    let request = SignIn {
        login: typed.login.clone(),
        password: form.secret("user", "password"),
        browser: visit.browser(typed.remembered),
    };
    let problem = match visit.app_of_stranger().sign_in(request).await? {
        Ok(SignedIn::Started(started)) => {
            let mut answer = Answer::to(&after(&visit, &started));
            answer.cookies.extend(cookie::of_session(&started));
            return Ok(answer);
        }
        Ok(SignedIn::AwaitsSecondFactor(cookie)) => {
            let form = visit.return_to().through(&visit.own("/users/sign_in"));
            return Ok(Answer::to(&form).cookie(cookie::awaiting_second_factor(&cookie)));
        }
        Err(refusal) => words(refusal),
    };
    let frame = visit.frame().await?;
    Ok(page(&visit, frame, Some(problem), typed).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// The code that follows the password.
async fn second_step(visit: &Visit, typed: Typed, code: String) -> Result<Answer, PageError> {
    let browser = visit.browser(false);
    let cookie = visit.session_cookie();
    let problem = match visit.app_of_stranger().complete_sign_in(cookie, Secret::given(code), browser).await? {
        Ok(started) => {
            let mut answer = Answer::to(&after(visit, &started));
            answer.cookies.extend(cookie::of_session(&started));
            return Ok(answer);
        }
        Err(refusal) => words(refusal),
    };
    let (frame, asks_for_code) = awaiting(visit).await?;
    let typed = Typed { asks_for_code, ..typed };
    Ok(page(visit, frame, Some(problem), typed).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// Where a new session leads: past the page that says that a second factor has to be set up, where that is so.
fn after(visit: &Visit, started: &StartedSession) -> String {
    if started.second_factor_due {
        visit.return_to().through(&visit.own("/profile/two_factor_auth"))
    } else {
        visit.destination()
    }
}

/// Whether the password was right, and a code is asked for.
async fn awaiting(visit: &Visit) -> Result<(Frame, bool), PageError> {
    let cookie = visit.session_cookie();
    visit.read(move |query| session::awaits_second_factor(query, &cookie)).await
}

const fn words(refusal: SignInRefusal) -> &'static str {
    match refusal {
        SignInRefusal::Wrong => "Invalid Login or password.",
        SignInRefusal::Blocked => {
            "Your account has been blocked. Please contact your Tenon administrator if you think this is an error."
        }
        SignInRefusal::Banned => {
            "Your account has been banned. Please contact your Tenon administrator if you think this is an error."
        }
        SignInRefusal::Pending => "Your account waits for the approval of your Tenon administrator.",
        SignInRefusal::Unconfirmed => "You have to confirm your email address before continuing.",
        SignInRefusal::NotAccepted => "Passwords are not accepted on this page.",
        SignInRefusal::WrongCode => "Invalid two-factor code.",
        SignInRefusal::PasswordFirst => "Too much time has passed. Sign in once more.",
    }
}

async fn page(visit: &Visit, frame: Frame, problem: Option<&'static str>, typed: Typed) -> Result<Answer, PageError> {
    let settings = visit.app().known_settings();
    let text = match settings.sign_in_text.clone() {
        Some(text) => Some(visit.read(move |query| markdown::render(query, &text, true, None)).await?.1),
        None => None,
    };
    let return_to = visit.return_to().clone();
    let Typed { login, remembered, asks_for_code } = typed;
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
        sign_up: visit.own("/users/sign_up"),
        password_reset: visit.own("/users/password/new"),
        text,
    };
    Answer::page(&page)
}

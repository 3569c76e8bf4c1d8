//! The page to sign in.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::Secret;
use tenon_app::markdown;
use tenon_app::session::{self, SignIn, SignInRefusal, SignedIn};
use url::Url;

use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::frame::Frame;
use crate::place;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "session/sign_in.html")]
struct SignInPage {
    frame: Frame,
    problem: Option<&'static str>,
    login: String,
    return_to: String,
    remembered: bool,
    takes_passwords: bool,
    /// Whether the password was right, and the code of the second factor is asked for.
    asks_for_code: bool,
    signs_up: bool,
    /// HTML that is safe: made by the renderer of Markdown.
    text: Option<String>,
}

/// What the form holds already.
#[derive(Default)]
struct Typed {
    login: String,
    return_to: String,
    remembered: bool,
    asks_for_code: bool,
}

pub(super) async fn form(visit: Visit) -> Result<Answer, PageError> {
    let return_to = own(visit.query("return_to"));
    let (frame, asks_for_code) = awaiting(&visit).await?;
    if frame.user.is_some() {
        return Ok(Answer::to(&destination(&visit, &return_to)));
    }
    page(&visit, frame, None, Typed { return_to, asks_for_code, ..Typed::default() }).await
}

pub(super) async fn submit(visit: Visit) -> Result<Answer, PageError> {
    let form = visit.form();
    let typed = Typed {
        login: form.text("user", "login"),
        return_to: own(form.filled("", "return_to").as_deref()),
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
            let mut answer = Answer::to(&destination(&visit, &typed.return_to));
            answer.cookies.extend(cookie::of_session(&started));
            return Ok(answer);
        }
        Ok(SignedIn::AwaitsSecondFactor(cookie)) => {
            let form = place::with_return(&visit.own("/users/sign_in"), &typed.return_to);
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
            let mut answer = Answer::to(&destination(visit, &typed.return_to));
            answer.cookies.extend(cookie::of_session(&started));
            return Ok(answer);
        }
        Err(refusal) => words(refusal),
    };
    let (frame, asks_for_code) = awaiting(visit).await?;
    let typed = Typed { asks_for_code, ..typed };
    Ok(page(visit, frame, Some(problem), typed).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
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
    let form_target = redirected_to(&typed.return_to);
    let Typed { login, return_to, remembered, asks_for_code } = typed;
    let takes_passwords = settings.password_authentication_enabled_for_web;
    let signs_up = settings.allows_sign_up;
    let page =
        SignInPage { frame, problem, login, return_to, remembered, takes_passwords, asks_for_code, signs_up, text };
    Ok(Answer::page(&page)?.form_target(form_target))
}

/// The page that leads back is one of this server; empty for none.
fn own(return_to: Option<&str>) -> String {
    return_to.filter(|address| place::is_own(address)).unwrap_or_default().to_owned()
}

fn destination(visit: &Visit, return_to: &str) -> String {
    if return_to.is_empty() { visit.own("/") } else { return_to.to_owned() }
}

/// Where the browser may be redirected in the end if an application has asked for authorization: the policy of a page covers
/// all redirections that follow from its forms.
fn redirected_to(return_to: &str) -> Option<String> {
    let url = Url::parse("http://here.invalid").ok()?.join(return_to).ok()?;
    if !url.path().ends_with("/oauth/authorize") {
        return None;
    }
    let target = url.query_pairs().find(|(name, _)| name == "redirect_uri")?.1;
    place::form_source(&target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_request_for_authorization_opens_the_policy() {
        let asked = "/oauth/authorize?client_id=a&redirect_uri=http%3A%2F%2Flocalhost%3A7171%2Fcb";
        assert_eq!(redirected_to(asked).as_deref(), Some("http://localhost:7171"));
        assert_eq!(redirected_to("/profile?redirect_uri=https%3A%2F%2Fevil.example"), None);
        assert_eq!(redirected_to(""), None);
    }

    #[test]
    fn other_servers_are_not_returned_to() {
        assert_eq!(own(Some("//evil.example")), "");
        assert_eq!(own(Some("/profile")), "/profile");
        assert_eq!(own(None), "");
    }
}

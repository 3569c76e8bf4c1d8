//! Making an account.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::user::SignUp;

use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::Problems;
use crate::frame::Frame;
use crate::return_to::ReturnTo;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "session/sign_up.html")]
struct SignUpPage {
    frame: Frame,
    problems: Problems,
    return_to: ReturnTo,
    name: String,
    username: String,
    email: String,
}

#[derive(Default)]
struct Typed {
    name: String,
    username: String,
    email: String,
}

/// 404 where users may not sign up: the page is not offered then.
pub(super) async fn form(visit: Visit) -> Result<Answer, PageError> {
    if !visit.app().known_settings().allows_sign_up {
        return Err(PageError::NotFound);
    }
    let frame = visit.frame().await?;
    if frame.user.is_some() {
        return Ok(Answer::to(&visit.destination()));
    }
    page(&visit, frame, Problems::default(), Typed::default())
}

/// Makes the account, and signs its user in, unless the address is to be confirmed or the account to be approved first.
pub(super) async fn submit(visit: Visit) -> Result<Answer, PageError> {
    const FORM: &str = "user";
    let form = visit.form();
    let typed = Typed {
        name: form.filled(FORM, "name").unwrap_or_default(),
        username: form.filled(FORM, "username").unwrap_or_default(),
        email: form.filled(FORM, "email").unwrap_or_default(),
    };
    let request = SignUp {
        username: typed.username.clone(),
        name: typed.name.clone(),
        email: typed.email.clone(),
        email_confirmation: form.filled(FORM, "email_confirmation"),
        password: form.secret(FORM, "password"),
    };
    match visit.app_of_stranger().sign_up(request).await {
        Ok(user) if user.confirmed_at.is_none() || !user.may_act() => {
            let next = match (user.confirmed_at, user.may_act()) {
                (None, false) => Flash::LinkSentAwaitsApproval,
                (None, true) => Flash::LinkSent,
                (Some(_), _) => Flash::AwaitsApproval,
            };
            let form = visit.return_to().through(&visit.own("/users/sign_in"));
            Ok(Answer::to(&form).cookie(cookie::of_flash(next)))
        }
        Ok(user) => {
            let started = visit.app().start_session(user.id, visit.browser(false)).await?;
            let mut answer = Answer::to(&visit.destination()).cookie(cookie::of_flash(Flash::SignedUp));
            answer.cookies.extend(cookie::of_session(&started));
            Ok(answer)
        }
        // The server takes no one in: there is nothing to correct in the form.
        Err(error @ AppError::ForbiddenBecause(_)) => Err(error.into()),
        Err(error) => {
            let problems = Problems::of(error)?;
            Ok(page(&visit, visit.frame().await?, problems, typed)?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

fn page(visit: &Visit, frame: Frame, problems: Problems, typed: Typed) -> Result<Answer, PageError> {
    let Typed { name, username, email } = typed;
    let return_to = visit.return_to().clone();
    Answer::page(&SignUpPage { frame, problems, return_to, name, username, email })
}

//! A new password by a link in a mail: the request, and the page behind the link. Reading either changes nothing,
//! because programs open the links in mail, too.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::{Secret, user};
use tenon_domain::settings::PasswordRules;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;
use crate::kit::return_to::ReturnTo;

const FORM: &str = "user";
const FIELD: &str = "reset_password_token";

#[derive(Template)]
#[template(path = "session/password_new.html")]
struct RequestPage {
    frame: Frame,
    problems: Problems,
    return_to: ReturnTo,
    takes_passwords: bool,
    sends_mail: bool,
    email: String,
}

#[derive(Template)]
#[template(path = "session/password_edit.html")]
struct PasswordPage {
    frame: Frame,
    problems: Problems,
    takes_passwords: bool,
    token: String,
    /// The user of the password. `None` if the link has expired.
    username: Option<String>,
    passwords: PasswordRules,
}

pub(super) async fn ask(context: RequestContext) -> Result<Answer, PageError> {
    request_page(&context, Problems::default(), String::new()).await
}

/// Gives the same answer for every address.
pub(super) async fn request(context: RequestContext) -> Result<Answer, PageError> {
    let email = context.form().filled(FORM, "email").unwrap_or_default();
    match context.app_of_stranger().request_password_reset(context.identity(), &email).await {
        Ok(()) => {
            let next = context.return_to().through(&context.own("/users/sign_in"));
            Ok(Answer::to(&next).cookie(cookie::of_flash(Flash::PasswordResetAsked)))
        }
        Err(error) => {
            let page = request_page(&context, Problems::of(error)?, email).await?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

async fn request_page(context: &RequestContext, problems: Problems, email: String) -> Result<Answer, PageError> {
    let frame = context.frame().await?;
    let return_to = context.return_to().clone();
    let sends_mail = context.app().sends_mail();
    Answer::page(&RequestPage {
        frame,
        problems,
        return_to,
        takes_passwords: takes_passwords(context),
        sends_mail,
        email,
    })
}

fn takes_passwords(context: &RequestContext) -> bool {
    context.app().known_settings().password_authentication_enabled_for_web
}

pub(super) async fn edit(context: RequestContext) -> Result<Answer, PageError> {
    let token = context.query(FIELD).unwrap_or_default().to_owned();
    password_page(&context, token, Problems::default()).await
}

/// Saves the password. Signing in is a separate step, which asks for the second factor as usual.
pub(super) async fn save(context: RequestContext) -> Result<Answer, PageError> {
    let form = context.form();
    let (token, new) = (form.text(FORM, FIELD), form.secret(FORM, "password"));
    let saved = if form.secret(FORM, "password_confirmation") == new {
        let presented = Secret::given(token.clone());
        context.app_of_stranger().complete_password_reset(context.identity(), presented, new).await
    } else {
        Err(AppError::invalid("password_confirmation", "doesn't match Password"))
    };
    match saved {
        Ok(()) => Ok(Answer::to(&context.own("/users/sign_in")).cookie(cookie::of_flash(Flash::PasswordReset))),
        Err(AppError::NotFound(_)) => password_page(&context, String::new(), Problems::default()).await,
        Err(error) => {
            let page = password_page(&context, token, Problems::of(error)?).await?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

async fn password_page(context: &RequestContext, token: String, problems: Problems) -> Result<Answer, PageError> {
    let takes_passwords = takes_passwords(context);
    let presented = Secret::given(token.clone());
    let read = context
        .read(move |query| if takes_passwords { user::awaits_new_password(query, &presented) } else { Ok(None) });
    let (frame, username) = read.await?;
    let status = if username.is_some() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let passwords = context.app().known_settings().passwords;
    Ok(Answer::page(&PasswordPage { frame, problems, takes_passwords, token, username, passwords })?.status(status))
}

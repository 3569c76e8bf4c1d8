//! Changing one's own password.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::user;
use tenon_domain::settings::PasswordRules;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;
use crate::kit::return_to::ReturnTo;

#[derive(Template)]
#[template(path = "profile/password.html")]
struct PasswordPage {
    frame: Frame,
    problems: Problems,
    return_to: ReturnTo,
    /// True if another person has set the present password.
    is_expired: bool,
    /// True if the user has one.
    has_password: bool,
    passwords: PasswordRules,
}

pub(super) async fn form(context: RequestContext) -> Result<Answer, PageError> {
    page(&context, Problems::default()).await
}

/// Changes the password, and begins a new session: all others end.
pub(super) async fn change(context: RequestContext) -> Result<Answer, PageError> {
    const FORM: &str = "user";
    let form = context.form();
    let (current, new) = (form.secret(FORM, "current_password"), form.secret(FORM, "password"));
    let changed = if form.secret(FORM, "password_confirmation") == new {
        context.app().change_password(context.identity(), current, new).await
    } else {
        Err(AppError::invalid("password_confirmation", "doesn't match Password"))
    };
    match changed {
        Ok(user) => {
            let started = context.app().start_session(user, context.browser(false)).await?;
            let mut answer = Answer::to(&context.destination()).cookie(cookie::of_flash(Flash::PasswordChanged));
            answer.cookies.extend(cookie::of_session(&started));
            Ok(answer)
        }
        Err(error) => Ok(page(&context, Problems::of(error)?).await?.status(StatusCode::UNPROCESSABLE_ENTITY)),
    }
}

async fn page(context: &RequestContext, problems: Problems) -> Result<Answer, PageError> {
    let read = |query: &mut tenon_app::Query<'_>| {
        let user = query.user()?.id;
        Ok((user::must_change_password(query, user)?, user::has_password(query)?))
    };
    let (frame, (is_expired, has_password)) = context.read(read).await?;
    let return_to = context.return_to().clone();
    let passwords = context.app().known_settings().passwords;
    Answer::page(&PasswordPage { frame, problems, return_to, is_expired, has_password, passwords })
}

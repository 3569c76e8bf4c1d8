//! Changing one's own password.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::user;

use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::Problems;
use crate::frame::Frame;
use crate::return_to::ReturnTo;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "profile/password.html")]
struct PasswordPage {
    frame: Frame,
    problems: Problems,
    return_to: ReturnTo,
    /// Whether someone else has set the present password.
    is_expired: bool,
}

pub(super) async fn form(visit: Visit) -> Result<Answer, PageError> {
    page(&visit, Problems::default()).await
}

/// Changes the password, and begins a new session: all others end.
pub(super) async fn change(visit: Visit) -> Result<Answer, PageError> {
    const FORM: &str = "user";
    let form = visit.form();
    let (current, new) = (form.secret(FORM, "current_password"), form.secret(FORM, "password"));
    let changed = if form.secret(FORM, "password_confirmation") == new {
        visit.app().change_password(visit.identity(), current, new).await
    } else {
        Err(AppError::invalid("password_confirmation", "doesn't match Password"))
    };
    match changed {
        Ok(user) => {
            let started = visit.app().start_session(user, visit.browser(false)).await?;
            let mut answer = Answer::to(&visit.destination()).cookie(cookie::of_flash(Flash::PasswordChanged));
            answer.cookies.extend(cookie::of_session(&started));
            Ok(answer)
        }
        Err(error) => Ok(page(&visit, Problems::of(error)?).await?.status(StatusCode::UNPROCESSABLE_ENTITY)),
    }
}

async fn page(visit: &Visit, problems: Problems) -> Result<Answer, PageError> {
    let read = |query: &mut tenon_app::Query<'_>| {
        let user = query.user()?.id;
        user::must_change_password(query, user)
    };
    let (frame, is_expired) = visit.read(read).await?;
    let return_to = visit.return_to().clone();
    Answer::page(&PasswordPage { frame, problems, return_to, is_expired })
}

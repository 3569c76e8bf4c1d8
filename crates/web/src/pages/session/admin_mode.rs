//! Administrators begin and stop to act as such in a session, if the settings ask for that.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::session::{self, AdminMode};
use tenon_app::user;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;
use crate::kit::return_to::ReturnTo;

#[derive(Template)]
#[template(path = "session/admin_mode.html")]
struct AdminModePage {
    frame: Frame,
    problems: Problems,
    return_to: ReturnTo,
    /// True if the user has a password to confirm it with.
    has_password: bool,
    /// True if the code of an authenticator is needed as well.
    takes_code: bool,
}

/// 404 for users who have nothing to enter. Who has entered the mode already is sent on.
pub(super) async fn form(context: RequestContext) -> Result<Answer, PageError> {
    match context.ask(session::admin_mode).await? {
        AdminMode::NotNeeded => Err(PageError::NotFound),
        AdminMode::Entered => Ok(Answer::to(&destination(&context))),
        AdminMode::Left => page(&context, Problems::default()).await,
    }
}

/// Enters the mode. The caller must give the password, and a code if they have an authenticator.
pub(super) async fn enter(context: RequestContext) -> Result<Answer, PageError> {
    let form = context.form();
    let (password, code) = (form.secret("user", "password"), form.secret("user", "otp_attempt"));
    match context.app().enter_admin_mode(context.identity(), password, code).await {
        Ok(()) => Ok(Answer::to(&destination(&context)).cookie(cookie::of_flash(Flash::AdminModeEntered))),
        Err(error) => {
            let problems = Problems::of(error)?.under("Admin mode could not be entered");
            Ok(page(&context, problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn leave(context: RequestContext) -> Result<Answer, PageError> {
    context.write(session::leave_admin_mode).await?;
    Ok(Answer::to(&context.own("/")).cookie(cookie::of_flash(Flash::AdminModeLeft)))
}

fn destination(context: &RequestContext) -> String {
    context.return_to().or(context.own("/admin"))
}

async fn page(context: &RequestContext, problems: Problems) -> Result<Answer, PageError> {
    let read =
        |query: &mut tenon_app::Query<'_>| Ok((user::has_password(query)?, session::admin_mode_takes_code(query)?));
    let (frame, (has_password, takes_code)) = context.read(read).await?;
    let return_to = context.return_to().clone();
    Answer::page(&AdminModePage { frame, problems, return_to, has_password, takes_code })
}

//! Signing out. A link alone only shows a page with a button, because other sites can make a browser follow links.

use askama::Template;
use tenon_app::session;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;

#[derive(Template)]
#[template(path = "session/sign_out.html")]
struct SignOutPage {
    frame: Frame,
}

pub(super) async fn form(context: RequestContext) -> Result<Answer, PageError> {
    let frame = context.frame().await?;
    if frame.user.is_none() {
        return Ok(Answer::to(&context.own("/users/sign_in")).ending_session());
    }
    Answer::page(&SignOutPage { frame })
}

/// Ends the session, and leads to the address from the settings.
pub(super) async fn submit(context: RequestContext) -> Result<Answer, PageError> {
    if context.has_session() {
        context.write(session::sign_out).await?;
    }
    let settings = context.app().known_settings();
    let there = settings.after_sign_out_path.clone().unwrap_or_else(|| context.own("/users/sign_in"));
    Ok(Answer::to(&there).cookie(cookie::of_flash(Flash::SignedOut)).ending_session())
}

//! Signing out. A link alone only shows a page with a button: other sites can make a browser follow links.

use askama::Template;
use tenon_app::session;

use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::frame::Frame;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "session/sign_out.html")]
struct SignOutPage {
    frame: Frame,
}

pub(super) async fn form(visit: Visit) -> Result<Answer, PageError> {
    let frame = visit.frame().await?;
    if frame.user.is_none() {
        return Ok(Answer::to(&visit.own("/users/sign_in")).ending_session());
    }
    Answer::page(&SignOutPage { frame })
}

/// Ends the session, and leads to where the settings say.
pub(super) async fn submit(visit: Visit) -> Result<Answer, PageError> {
    if visit.has_session() {
        visit.write(session::sign_out).await?;
    }
    let settings = visit.app().known_settings();
    let there = settings.after_sign_out_path.clone().unwrap_or_else(|| visit.own("/users/sign_in"));
    Ok(Answer::to(&there).cookie(cookie::of_flash(Flash::SignedOut)).ending_session())
}

//! The browsers in which the caller has signed in.

use askama::Template;
use tenon_app::session;
use tenon_domain::id::SessionId;
use tenon_domain::user_agent::browser_name;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::words::Moment;

const ADDRESS: &str = "/profile/active_sessions";

#[derive(Template)]
#[template(path = "profile/active_sessions.html")]
struct SessionsPage {
    frame: Frame,
    sessions: Vec<SessionRow>,
}

struct SessionRow {
    id: i64,
    address: String,
    /// The name of the browser and its system.
    name: String,
    /// The text that the browser sent about itself.
    sent: String,
    began: Moment,
    used: Moment,
    is_current: bool,
}

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    let read = |query: &mut tenon_app::Query<'_>| {
        let current = query.caller.session.as_ref().map(|session| session.id);
        Ok((current, session::list(query)?))
    };
    let (frame, (current, found)) = context.read(read).await?;
    let row = |session: tenon_domain::session::Session| SessionRow {
        is_current: Some(session.id) == current,
        id: session.id.get(),
        address: session.address.unwrap_or_else(|| "Unknown IP address".to_owned()),
        name: session.user_agent.as_deref().and_then(browser_name).unwrap_or_else(|| "Unknown browser".to_owned()),
        sent: session.user_agent.unwrap_or_default(),
        began: session.created_at.into(),
        used: session.last_used_at.into(),
    };
    Answer::page(&SessionsPage { frame, sessions: found.into_iter().map(row).collect() })
}

pub(super) async fn end(context: RequestContext) -> Result<Answer, PageError> {
    let id = SessionId::new(context.id("id")?);
    context.write(move |command| session::end(command, id)).await?;
    Ok(Answer::to(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::SessionEnded)))
}

pub(super) async fn end_others(context: RequestContext) -> Result<Answer, PageError> {
    context.write(session::end_others).await?;
    Ok(Answer::to(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::SessionsEnded)))
}

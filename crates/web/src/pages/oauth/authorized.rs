//! The applications that may act for the caller.

use askama::Template;
use tenon_app::oauth::{self, AuthorizedApplication};
use tenon_domain::id::ApplicationId;

use super::authorize::words;
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::words::Moment;

#[derive(Template)]
#[template(path = "oauth/authorized.html")]
struct AuthorizedPage {
    frame: Frame,
    applications: Vec<ApplicationRow>,
}

struct ApplicationRow {
    id: i64,
    name: String,
    scopes: Vec<&'static str>,
    authorized: Moment,
}

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    let (frame, found) = context.read(oauth::list_authorized).await?;
    let row = |found: AuthorizedApplication| ApplicationRow {
        id: found.application.id.get(),
        name: found.application.name,
        scopes: found.scopes.iter().map(words).collect(),
        authorized: found.authorized_at.into(),
    };
    Answer::page(&AuthorizedPage { frame, applications: found.into_iter().map(row).collect() })
}

pub(super) async fn withdraw(context: RequestContext) -> Result<Answer, PageError> {
    let id = ApplicationId::new(context.id("id")?);
    context.write(move |command| oauth::withdraw(command, id)).await?;
    let back = context.own("/oauth/authorized_applications");
    Ok(Answer::to(&back).cookie(cookie::of_flash(Flash::GrantRevoked)))
}

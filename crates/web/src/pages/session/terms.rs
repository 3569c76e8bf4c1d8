//! The terms of service.

use askama::Template;
use tenon_app::{markdown, terms};

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::return_to::ReturnTo;

#[derive(Template)]
#[template(path = "session/terms.html")]
struct TermsPage {
    frame: Frame,
    /// Safe HTML, made by the renderer of Markdown.
    text: String,
    must_accept: bool,
    return_to: ReturnTo,
}

/// 404 if there are no terms.
pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    let read = |query: &mut tenon_app::Query<'_>| {
        let Some(text) = terms::text(query)? else { return Ok(None) };
        let html = markdown::render(query, &text, None)?;
        let must_accept = match query.viewer().user() {
            Some(user) => terms::must_accept(query, user)?,
            None => false,
        };
        Ok(Some((html, must_accept)))
    };
    let (frame, found) = context.read(read).await?;
    let (text, must_accept) = found.ok_or(PageError::NotFound)?;
    let return_to = context.return_to().clone();
    Answer::page(&TermsPage { frame, text, must_accept, return_to })
}

pub(super) async fn accept(context: RequestContext) -> Result<Answer, PageError> {
    context.write(terms::accept).await?;
    Ok(Answer::to(&context.destination()).cookie(cookie::of_flash(Flash::TermsAccepted)))
}

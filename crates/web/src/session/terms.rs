//! The terms of service.

use askama::Template;
use tenon_app::{markdown, terms};

use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::frame::Frame;
use crate::return_to::ReturnTo;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "session/terms.html")]
struct TermsPage {
    frame: Frame,
    /// HTML that is safe: made by the renderer of Markdown.
    text: String,
    must_accept: bool,
    return_to: ReturnTo,
}

/// 404 where there are no terms.
pub(super) async fn show(visit: Visit) -> Result<Answer, PageError> {
    let read = |query: &mut tenon_app::Query<'_>| {
        let Some(text) = terms::text(query)? else { return Ok(None) };
        let html = markdown::render(query, &text, true, None)?;
        let must_accept = match query.viewer().user() {
            Some(user) => terms::must_accept(query, user)?,
            None => false,
        };
        Ok(Some((html, must_accept)))
    };
    let (frame, found) = visit.read(read).await?;
    let (text, must_accept) = found.ok_or(PageError::NotFound)?;
    let return_to = visit.return_to().clone();
    Answer::page(&TermsPage { frame, text, must_accept, return_to })
}

pub(super) async fn accept(visit: Visit) -> Result<Answer, PageError> {
    visit.write(terms::accept).await?;
    Ok(Answer::to(&visit.destination()).cookie(cookie::of_flash(Flash::TermsAccepted)))
}

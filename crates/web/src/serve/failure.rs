//! Pages that say why there is no other page. They look the same for all strangers. They need the database only to find
//! the user who has signed in.

use actix_web::http::header;
use askama::Template;
use tenon_edge::refusal::words;

use crate::context::frame::Frame;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    frame: Frame,
    title: &'static str,
    text: &'static str,
    /// True if the page may exist for users who have signed in.
    offers_sign_in: bool,
}

/// The page that says why there is no other one.
pub(crate) fn page(failure: &PageError, frame: Frame) -> Answer {
    let status = failure.status();
    let offers_sign_in = matches!(failure, PageError::SignIn | PageError::NotFound);
    let (title, text) = match failure {
        PageError::Forged => ("This form has expired", "Go back, reload the page and submit the form again."),
        _ => words(status),
    };
    let page = ErrorPage { frame, title, text, offers_sign_in };
    let html = page.render().unwrap_or_else(|error| {
        tracing::error!(%error, "the page of an error could not be rendered");
        title.to_owned()
    });
    let answer = Answer::error(status, html);
    match failure {
        PageError::Method(allowed) => answer.header(header::ALLOW, allowed.clone()),
        PageError::Status(_, Some(seconds)) => answer.header(header::RETRY_AFTER, seconds.to_string()),
        PageError::SignIn | PageError::NotFound | PageError::Forged | PageError::Status(_, None) => answer,
    }
}

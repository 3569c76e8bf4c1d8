//! Pages that say why there is no other page. They need no database, and look the same for everyone.

use actix_web::http::StatusCode;
use actix_web::http::header;
use askama::Template;
use tenon_app::error::AppError;
use tenon_edge::error::ApiError;

use crate::answer::Answer;
use crate::frame::Frame;
use crate::site::Site;

/// Why a request for a page got another one.
#[derive(Debug)]
pub(crate) enum PageError {
    /// The page is for users who have signed in.
    SignIn,
    /// There is no such page, or the caller may not know of it.
    NotFound,
    /// A form that did not come from a page of ours, or from one of another session.
    Forged,
    /// Another status, and the seconds after which to try again.
    Status(StatusCode, Option<u32>),
}

impl From<AppError> for PageError {
    fn from(error: AppError) -> Self {
        match error {
            AppError::Unauthenticated => Self::SignIn,
            AppError::NotFound(_) => Self::NotFound,
            error => ApiError::from(error).into(),
        }
    }
}

/// The statuses are those of the API.
impl From<ApiError> for PageError {
    fn from(error: ApiError) -> Self {
        let retry_after = error.header(&header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        match error.status() {
            StatusCode::NOT_FOUND => Self::NotFound,
            StatusCode::UNAUTHORIZED => Self::SignIn,
            status => Self::Status(status, retry_after),
        }
    }
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    frame: Frame,
    title: &'static str,
    text: &'static str,
}

impl PageError {
    /// The page that says so.
    pub(crate) fn into_answer(self, site: &Site) -> Answer {
        let (status, retry_after) = match self {
            Self::SignIn => (StatusCode::UNAUTHORIZED, None),
            Self::NotFound => (StatusCode::NOT_FOUND, None),
            Self::Forged => (StatusCode::UNPROCESSABLE_ENTITY, None),
            Self::Status(status, retry_after) => (status, retry_after),
        };
        let (title, text) = match self {
            Self::Forged => (
                "This form is out of date",
                "It was sent from another session, or from another site. Go back, load the page again, and send it once more.",
            ),
            _ => words(status),
        };
        let page = ErrorPage { frame: Frame::bare(site), title, text };
        let html = page.render().unwrap_or_else(|error| {
            tracing::error!(%error, "the page of an error could not be rendered");
            title.to_owned()
        });
        Answer::html(status, html).retry_after(retry_after)
    }
}

fn words(status: StatusCode) -> (&'static str, &'static str) {
    match status {
        StatusCode::UNAUTHORIZED => ("Sign in first", "This page is for users who have signed in."),
        StatusCode::FORBIDDEN => ("You may not do this", "Your account does not have the permission for it."),
        StatusCode::NOT_FOUND => {
            ("There is no page here", "It may have been moved or deleted, or you may have to sign in to see it.")
        }
        StatusCode::CONFLICT => (
            "This has changed",
            "What you wanted to change is not what it was when you opened the page. Load the page again.",
        ),
        StatusCode::PAYLOAD_TOO_LARGE => ("This is too large", "The form holds more than the server accepts."),
        StatusCode::TOO_MANY_REQUESTS => ("Too many requests", "Wait a little before you try again."),
        StatusCode::SERVICE_UNAVAILABLE => ("The server is busy", "Try again in a few seconds."),
        status if status.is_server_error() => (
            "Something went wrong",
            "The server could not answer. Its log says why, under the id in the header X-Request-Id of this answer.",
        ),
        _ => ("The server cannot read this request", "Go back and try again."),
    }
}

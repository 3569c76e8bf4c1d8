//! Pages that say why there is no other page. They look the same for all strangers, and need no database but to know who has signed in.

use actix_web::http::StatusCode;
use actix_web::http::header;
use askama::Template;
use tenon_app::error::AppError;
use tenon_edge::error::ApiError;
use tenon_edge::refusal::words;

use crate::answer::Answer;
use crate::frame::Frame;

/// Why a request for a page got another one.
#[derive(Debug)]
pub(crate) enum PageError {
    /// The page is for users who have signed in.
    SignIn,
    /// There is no such page, or the caller may not know of it.
    NotFound,
    /// A form that did not come from a page of ours, or from one of another session.
    Forged,
    /// A page with other methods: these.
    Method(String),
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
    /// Whether it may be that the page is there for those who have signed in.
    offers_sign_in: bool,
}

impl PageError {
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::SignIn => StatusCode::UNAUTHORIZED,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Forged => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Method(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Status(status, _) => *status,
        }
    }

    /// The page that says so.
    pub(crate) fn into_answer(self, frame: Frame) -> Answer {
        let status = self.status();
        let offers_sign_in = matches!(self, Self::SignIn | Self::NotFound);
        let (title, text) = match self {
            Self::Forged => (
                "This form is out of date",
                "It was sent from another session, or from another site. Go back, load the page again, and send it once more.",
            ),
            _ => words(status),
        };
        let page = ErrorPage { frame, title, text, offers_sign_in };
        let html = page.render().unwrap_or_else(|error| {
            tracing::error!(%error, "the page of an error could not be rendered");
            title.to_owned()
        });
        let answer = Answer::error(status, html);
        match self {
            Self::Method(allowed) => answer.header(header::ALLOW, allowed),
            Self::Status(_, Some(seconds)) => answer.header(header::RETRY_AFTER, seconds.to_string()),
            Self::SignIn | Self::NotFound | Self::Forged | Self::Status(_, None) => answer,
        }
    }
}

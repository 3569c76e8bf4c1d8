//! Reasons why a request for a page gets another one.

use actix_web::http::{StatusCode, header};
use tenon_app::error::AppError;
use tenon_edge::error::ApiError;

/// The reason why a request for a page gets another one.
#[derive(Debug)]
pub(crate) enum PageError {
    /// The page is for users who have signed in.
    SignIn,
    /// There is no such page, or the caller may not know of it.
    NotFound,
    /// A form that did not come from a page of ours, or came from a page of another session.
    Forged,
    /// The page has only these other methods.
    Method(String),
    /// Another status, and the seconds after which the client may try again.
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
}

/// The value that was read. None if the caller may not read it, or has to sign in for it.
pub(crate) fn permitted<T>(found: Result<T, AppError>) -> Result<Option<T>, AppError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(AppError::Forbidden | AppError::NotFound(_) | AppError::Unauthenticated) => Ok(None),
        Err(error) => Err(error),
    }
}

//! The reasons for which parameters cannot be read at all.

use actix_web::http::StatusCode;
use tenon_app::error::AppError;

use crate::wire::error::ApiError;

/// The reason why a query or body could not be parsed at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnreadableRequest {
    /// A query that would not fit into the links of a response.
    #[error("the query is too long")]
    QueryTooLong,
    /// More names than a request may have.
    #[error("there are too many parameters")]
    TooManyNames,
    /// More elements than an array may have.
    #[error("an array has too many elements")]
    TooManyElements,
    /// More brackets than a name may have.
    #[error("a parameter is nested too deeply")]
    TooDeep,
    /// Text that is not UTF-8.
    #[error("parameters are not valid UTF-8")]
    NotUtf8,
    /// A body that does not match its content type. Carries the position, never the content.
    #[error("message body does not match declared format: {0}")]
    Malformed(String),
    /// A content type that is not supported.
    #[error("The provided content-type '{0}' is not supported.")]
    UnsupportedType(String),
    /// A `format` other than JSON.
    #[error("The requested format '{0}' is not supported.")]
    UnsupportedFormat(String),
    /// More bytes than a body may have.
    #[error("the body is too large")]
    TooLarge,
    /// More bytes than may be received at once from this client, or in total.
    #[error("503 Service Unavailable")]
    Busy,
    /// A body that did not arrive in time.
    #[error("408 Request Timeout")]
    TooSlow,
}

impl From<UnreadableRequest> for ApiError {
    fn from(problem: UnreadableRequest) -> Self {
        let text = problem.to_string();
        match problem {
            UnreadableRequest::UnsupportedType(_) => Self::error(StatusCode::UNSUPPORTED_MEDIA_TYPE, text),
            UnreadableRequest::UnsupportedFormat(_) => Self::error(StatusCode::NOT_ACCEPTABLE, text),
            UnreadableRequest::TooLarge => Self::too_large(),
            UnreadableRequest::Busy => Self::from(AppError::Busy { retry_after: 2 }),
            UnreadableRequest::TooSlow => Self::message(StatusCode::REQUEST_TIMEOUT, text),
            _ => Self::parameters(&text),
        }
    }
}

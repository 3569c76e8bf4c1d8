//! Failures as clients see them: the table from [`AppError`] to status and body.

use std::error::Error;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tenon_app::error::AppError;

use super::{legacy, missing, refused};

const UNAUTHORIZED: &str = "401 Unauthorized";
const EXPIRED: &str = "Token is expired. You can either do re-authorization or token refresh.";
const REVOKED: &str = "Token was revoked. You have to re-authorize from the user.";
const TWO_TOKENS: &str = "Both Authorization header and payload includes access token.";
const INSUFFICIENT_SCOPE: &str = "The request requires higher privileges than provided by the access token.";

/// A response that is not a success: status, JSON body and headers.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiError {
    status: StatusCode,
    body: Value,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// Plain text that replaces the body.
    text: Option<Box<str>>,
}

impl ApiError {
    fn new(status: StatusCode, body: Value) -> Self {
        Self { status, body, headers: Vec::new(), text: None }
    }

    /// The same failure with a header; one whose value no header can hold is left out.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: impl TryInto<HeaderValue>) -> Self {
        if let Ok(value) = value.try_into() {
            self.headers.push((name, value));
        }
        self
    }

    /// `{"message": text}`, the form of most failures.
    pub fn message(status: StatusCode, text: impl Into<String>) -> Self {
        Self::new(status, json!({ "message": text.into() }))
    }

    fn of((status, body): (StatusCode, Value)) -> Self {
        Self::new(status, body)
    }

    /// `{"error": text}`: failures of the route itself, before any resource is read.
    pub fn error(status: StatusCode, text: impl Into<String>) -> Self {
        Self::new(status, json!({ "error": text.into() }))
    }

    fn both(status: StatusCode, text: &str) -> Self {
        Self::new(status, json!({ "message": text, "error": text }))
    }

    /// 400 for parameters. Clients read the text under `message` or `error`, so it is under both.
    pub fn parameters(text: &str) -> Self {
        Self::both(StatusCode::BAD_REQUEST, text)
    }

    /// 422 for a request that is well-formed and impossible. The text is under `message` and `error`.
    pub fn unprocessable(text: &str) -> Self {
        Self::both(StatusCode::UNPROCESSABLE_ENTITY, text)
    }

    /// 401 without details: no credential, or an unknown one.
    pub fn unauthorized() -> Self {
        Self::message(StatusCode::UNAUTHORIZED, UNAUTHORIZED)
    }

    /// 400 for two access tokens in one request.
    pub fn two_access_tokens() -> Self {
        let body = json!({ "error": "invalid_request", "error_description": TWO_TOKENS, "message": TWO_TOKENS });
        Self::new(StatusCode::BAD_REQUEST, body)
    }

    /// 404 of a path without a route.
    pub fn unknown_route() -> Self {
        Self::error(StatusCode::NOT_FOUND, "404 Not Found")
    }

    /// 405 of a path with other methods.
    pub fn method_not_allowed(allow: &str) -> Self {
        let body = json!({ "error": "405 Not Allowed", "message": "405 Method Not Allowed" });
        Self::new(StatusCode::METHOD_NOT_ALLOWED, body).with_header(header::ALLOW, allow)
    }

    /// 410 of the previous API.
    pub fn gone() -> Self {
        Self::error(StatusCode::GONE, "API V3 is no longer supported. Use API V4 instead.")
    }

    /// 413 of a body or upload over its limit.
    pub fn too_large() -> Self {
        Self::message(StatusCode::PAYLOAD_TOO_LARGE, "413 Request Entity Too Large")
    }

    /// 429 of a client that has sent too much over time; seconds after which it may retry.
    pub fn throttled(retry_after: u32) -> Self {
        Self { text: Some("Retry later\n".into()), ..Self::new(StatusCode::TOO_MANY_REQUESTS, Value::Null) }
            .with_header(header::RETRY_AFTER, retry_after)
    }

    /// The same failure with this line of plain text as its body, if there is one.
    #[must_use]
    pub fn with_text(self, text: Option<String>) -> Self {
        Self { text: text.map(|text| (text + "\n").into()).or(self.text), ..self }
    }

    /// 503 while the server is in maintenance, with the message of the administrators.
    pub fn maintenance(message: &str) -> Self {
        Self::message(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// 500. The whole cause is logged here and never sent to the client.
    pub fn internal(source: &(dyn Error + 'static)) -> Self {
        let mut causes = source.to_string();
        let mut next = source.source();
        while let Some(cause) = next {
            causes.push_str(": ");
            causes.push_str(&cause.to_string());
            next = cause.source();
        }
        tracing::error!(cause = causes, "internal fault");
        Self::message(StatusCode::INTERNAL_SERVER_ERROR, "500 Internal Server Error")
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// A header of the response.
    pub fn header(&self, name: &HeaderName) -> Option<&HeaderValue> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The headers of the response.
    pub(crate) fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        &self.headers
    }

    /// The JSON body.
    pub fn body(&self) -> &Value {
        &self.body
    }

    /// The HTTP response.
    pub fn into_response(self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        for header in self.headers {
            response.insert_header(header);
        }
        match self.text {
            Some(text) => response.insert_header((header::CONTENT_TYPE, "text/plain")).body(text.into_string()),
            None => response.insert_header((header::CONTENT_TYPE, "application/json")).body(self.body.to_string()),
        }
    }
}

impl From<AppError> for ApiError {
    fn from(error: AppError) -> Self {
        use StatusCode as S;
        match error {
            AppError::Unauthenticated => Self::unauthorized(),
            AppError::TokenExpired => dead_token(EXPIRED),
            AppError::TokenRevoked => dead_token(REVOKED),
            AppError::InsufficientScope(wanted) => Self::new(
                S::FORBIDDEN,
                json!({ "error": "insufficient_scope", "error_description": INSUFFICIENT_SCOPE, "scope": wanted }),
            ),
            AppError::Forbidden => Self::message(S::FORBIDDEN, "403 Forbidden"),
            AppError::NotFound(what) => Self::message(S::NOT_FOUND, missing::text(&what)),
            AppError::Invalid(fields) => Self::new(S::BAD_REQUEST, legacy::by_field(&fields)),
            AppError::Rejected(attempt, fields) => Self::of(legacy::rejected(attempt, &fields)),
            AppError::Refused(refusal) => Self::of(refused::answer(&refusal)),
            AppError::Stale => Self::message(S::PRECONDITION_FAILED, "412 Precondition Failed"),
            AppError::TooLarge => Self::too_large(),
            AppError::QuotaExceeded(quota) => {
                Self::message(S::PAYLOAD_TOO_LARGE, format!("413 Request Entity Too Large - {quota}"))
            }
            AppError::Busy { retry_after } | AppError::TookTooLong { retry_after } => {
                Self::message(S::SERVICE_UNAVAILABLE, "503 Service Unavailable")
                    .with_header(header::RETRY_AFTER, retry_after)
            }
            AppError::Throttled { retry_after } => Self::throttled(retry_after),
            AppError::DiskFull => Self::message(S::INSUFFICIENT_STORAGE, "507 Insufficient Storage"),
            AppError::Internal(source) => Self::internal(source.as_ref()),
        }
    }
}

/// An expired or revoked token: the form of OAuth 2.0, and `message`, which every 401 has.
fn dead_token(description: &str) -> ApiError {
    let challenge =
        format!(r#"Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="{description}""#);
    let body = json!({ "message": UNAUTHORIZED, "error": "invalid_token", "error_description": description });
    ApiError::new(StatusCode::UNAUTHORIZED, body).with_header(header::WWW_AUTHENTICATE, challenge)
}

#[cfg(test)]
mod tests {
    use tenon_app::error::{Attempt, Missing};
    use tenon_domain::field_errors::FieldErrors;
    use tenon_domain::refusal::{LabelRefusal, Quota};

    use super::*;

    #[test]
    fn every_failure_has_its_status_and_body() {
        let fields = || FieldErrors::of("name", "can't be blank");
        let table: Vec<(AppError, u16, Value)> = vec![
            (AppError::Unauthenticated, 401, json!({"message": "401 Unauthorized"})),
            (
                AppError::TokenExpired,
                401,
                json!({"message": "401 Unauthorized", "error": "invalid_token", "error_description": EXPIRED}),
            ),
            (
                AppError::TokenRevoked,
                401,
                json!({"message": "401 Unauthorized", "error": "invalid_token", "error_description": REVOKED}),
            ),
            (
                AppError::InsufficientScope("read_user api"),
                403,
                json!({"error": "insufficient_scope", "error_description": INSUFFICIENT_SCOPE, "scope": "read_user api"}),
            ),
            (AppError::Forbidden, 403, json!({"message": "403 Forbidden"})),
            (AppError::NotFound(Missing::Project), 404, json!({"message": "404 Project Not Found"})),
            (AppError::NotFound(Missing::Plain), 404, json!({"message": "404 Not Found"})),
            (AppError::Invalid(fields()), 400, json!({"message": {"name": ["can't be blank"]}})),
            (AppError::Stale, 412, json!({"message": "412 Precondition Failed"})),
            (AppError::TooLarge, 413, json!({"message": "413 Request Entity Too Large"})),
            (
                AppError::QuotaExceeded(Quota::UploadFiles(2)),
                413,
                json!({
                    "message":
                        "413 Request Entity Too Large - The uploads of this project may be 2 files (contents.uploads)",
                }),
            ),
            (AppError::Refused(LabelRefusal::Taken.into()), 409, json!({"message": "Label already exists"})),
            (AppError::Rejected(Attempt::Fork, fields()), 409, json!({"message": {"name": ["can't be blank"]}})),
            (AppError::Busy { retry_after: 2 }, 503, json!({"message": "503 Service Unavailable"})),
            (AppError::TookTooLong { retry_after: 2 }, 503, json!({"message": "503 Service Unavailable"})),
            (AppError::DiskFull, 507, json!({"message": "507 Insufficient Storage"})),
            (AppError::internal("secret"), 500, json!({"message": "500 Internal Server Error"})),
        ];
        for (error, status, body) in table {
            let name = format!("{error:?}");
            let error = ApiError::from(error);
            assert_eq!((error.status().as_u16(), error.body()), (status, &body), "{name}");
        }
    }

    #[test]
    fn the_headers_that_belong_to_a_failure_are_sent() {
        let header =
            |error: ApiError, name| error.into_response().headers().get(name).unwrap().to_str().unwrap().to_owned();
        assert_eq!(header(AppError::Busy { retry_after: 2 }.into(), header::RETRY_AFTER), "2");
        assert_eq!(header(ApiError::method_not_allowed("OPTIONS, GET"), header::ALLOW), "OPTIONS, GET");
        assert_eq!(
            header(AppError::TokenRevoked.into(), header::WWW_AUTHENTICATE),
            format!(r#"Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="{REVOKED}""#),
        );
    }
}

//! The limits of the application settings: the number of a caller's requests, and of a user's addresses. They are off
//! on a new server. The limits of the configuration (`admission`) hold beside them.

use actix_web::HttpRequest;
use actix_web::body::BoxBody;
use actix_web::dev::ServiceResponse;
use actix_web::http::header::{HeaderName, HeaderValue};
use tenon_app::{Client, Counted};
use tenon_domain::settings::RequestTarget;

use super::client::Presented;
use crate::state::Edge;
use crate::wire::error::ApiError;

/// One request as the settings count it.
pub(crate) struct Admission {
    /// The answer if the request is not served.
    pub(crate) refusal: Option<ApiError>,
    /// Headers of the answer, of any status.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

/// Counts one request for its client. A credential in the body is not known yet, and its request counts for the
/// address.
pub(crate) fn count(edge: &Edge, client: Client, presented: &Presented, request: &HttpRequest) -> Admission {
    let app = edge.app().used_by(client);
    let asked = RequestTarget::new(request.method().as_str(), request.path(), request.query_string());
    let counted = app.count_by_settings(presented.network(), request.path(), asked);
    let headers = counted.map(|counted| headers(&counted, app.seconds_now())).unwrap_or_default();
    let throttled = counted.and_then(|counted| counted.refused).map(|throttled| {
        let text = app.known_settings().rate_limiting_text.clone();
        ApiError::throttled(throttled.seconds()).with_text(text)
    });
    let refusal = throttled.or_else(|| app.admit_address(presented.network()).err().map(ApiError::from));
    Admission { refusal, headers }
}

/// Adds these headers to a response.
pub(crate) fn with_headers(
    mut response: ServiceResponse<BoxBody>,
    headers: &[(HeaderName, HeaderValue)],
) -> ServiceResponse<BoxBody> {
    for (name, value) in headers {
        response.headers_mut().insert(name.clone(), value.clone());
    }
    response
}

/// The headers from which clients read the limit. `RateLimit-Limit` is that of a minute, and the reset is a Unix time.
fn headers(counted: &Counted, now: i64) -> Vec<(HeaderName, HeaderValue)> {
    let until_reset = i64::try_from(counted.reset_after.as_millis().div_ceil(1000)).unwrap_or(i64::MAX);
    vec![
        (HeaderName::from_static("ratelimit-name"), HeaderValue::from_static(counted.name)),
        (HeaderName::from_static("ratelimit-limit"), counted.per_minute.into()),
        (HeaderName::from_static("ratelimit-remaining"), counted.remaining.into()),
        (HeaderName::from_static("ratelimit-reset"), now.saturating_add(until_reset).into()),
    ]
}

//! The end of every request: the headers of all responses, a line in the log, a count in the metrics.

use std::convert::Infallible;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use actix_web::HttpResponse;
use actix_web::body::{BodySize, MessageBody};
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use bytes::Bytes;

use crate::state::Edge;
use crate::wire::error::ApiError;

/// The route name of requests that match no route, in the log and the metrics.
pub const UNKNOWN_ROUTE: &str = "(unknown)";

/// Turns an outcome into the response, with the headers of all responses; counts and logs it under `route`.
pub fn finish(
    edge: &Edge,
    method: &Method,
    route: &str,
    outcome: Result<HttpResponse, ApiError>,
    started: Instant,
) -> HttpResponse {
    let request_id = format!("{:016x}", RandomState::new().build_hasher().finish());
    let response = outcome.unwrap_or_else(ApiError::into_response);
    let mut response = if method == Method::HEAD { without_body(response) } else { response };

    let took = started.elapsed();
    add_headers(&mut response, &request_id, &format!("{:.6}", took.as_secs_f64()));
    let status = response.status().as_u16();
    edge.metrics().count(known_method(method), route, status, took);
    // The route and never the URL: queries contain tokens.
    tracing::info!(request_id, %method, route, status, ms = took.as_secs_f64() * 1e3, "request");
    response
}

/// Methods are free text in HTTP; only known ones become a label.
fn known_method(method: &Method) -> &str {
    let known = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];
    if known.contains(method) { method.as_str() } else { "other" }
}

fn add_headers(response: &mut HttpResponse, request_id: &str, runtime: &str) {
    let fixed = [
        (header::CACHE_CONTROL, "max-age=0, private, must-revalidate"),
        (header::VARY, "Origin"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "SAMEORIGIN"),
        (HeaderName::from_static("x-request-id"), request_id),
        (HeaderName::from_static("x-runtime"), runtime),
    ];
    // A handler's own value takes precedence.
    for (name, value) in fixed {
        if let (false, Ok(value)) = (response.headers().contains_key(&name), HeaderValue::from_str(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    if response.status() == StatusCode::NOT_MODIFIED {
        response.headers_mut().remove(header::CONTENT_TYPE);
    }
}

/// A response to HEAD: the status, headers and length of GET without the body.
pub fn without_body(response: HttpResponse) -> HttpResponse {
    response.map_body(|_, body| Absent(body.size())).map_into_boxed_body()
}

/// A body with a length and no bytes.
struct Absent(BodySize);

impl MessageBody for Absent {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        self.0
    }

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        Poll::Ready(None)
    }
}

#[cfg(test)]
mod tests {
    use actix_web::body::to_bytes;

    use super::*;

    #[actix_web::test]
    async fn head_announces_what_get_would_send() {
        let response = without_body(HttpResponse::Ok().body("abc"));
        assert!(matches!(response.body().size(), BodySize::Sized(3)));
        assert!(to_bytes(response.into_body()).await.unwrap().is_empty());
    }
}

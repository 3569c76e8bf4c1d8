//! Requests that are refused before their route is looked up, as the client can read it: browsers get a page.

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderMap, HeaderName};
use actix_web::{HttpRequest, HttpResponse};

use super::error::ApiError;

/// The page has neither styles nor a script: the requests for them would be refused as well.
const POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The response to a request that is refused: a page for browsers that ask for one, and otherwise the answer for
/// programs.
pub(crate) fn respond(refusal: ApiError, request: &HttpRequest) -> HttpResponse {
    let words = words(refusal.status());
    respond_with(refusal, request, words)
}

/// The response to a change while the server is in maintenance.
pub(crate) fn in_maintenance(message: &str, request: &HttpRequest) -> HttpResponse {
    let escaped = message.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    respond_with(ApiError::maintenance(message), request, ("Maintenance", &escaped))
}

fn respond_with(refusal: ApiError, request: &HttpRequest, (title, text): (&str, &str)) -> HttpResponse {
    if is_api(request.path()) || !asks_for_html(request.headers()) {
        return refusal.into_response();
    }
    let page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title} · Tenon</title>\n\
         </head>\n<body>\n<main>\n<h1>{title}</h1>\n<p>{text}</p>\n</main>\n</body>\n</html>\n"
    );
    let mut response = HttpResponse::build(refusal.status());
    for header in refusal.headers() {
        response.insert_header(header.clone());
    }
    response
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((header::CACHE_CONTROL, "private, no-store"))
        .insert_header((HeaderName::from_static("referrer-policy"), "same-origin"))
        .insert_header((header::CONTENT_TYPE, "text/html; charset=utf-8"))
        .body(page)
}

/// True if a path is one of the API. Leading slashes are ignored there as well.
pub(crate) fn is_api(path: &str) -> bool {
    let rest = path.trim_start_matches('/').strip_prefix("api");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// True if a client names HTML among the types that it accepts. Programs that accept `*/*` do not.
fn asks_for_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).filter_map(|value| value.to_str().ok());
    let mut kinds = accepted.flat_map(|line| line.split(',')).filter_map(|kind| kind.split(';').next());
    kinds.any(|kind| kind.trim().eq_ignore_ascii_case("text/html"))
}

/// The texts of a page about a failure: its title, and advice.
#[must_use]
pub fn words(status: StatusCode) -> (&'static str, &'static str) {
    match status {
        StatusCode::UNAUTHORIZED => ("Sign in required", "You must sign in to view this page."),
        StatusCode::FORBIDDEN => ("Access denied", "You don't have permission to do this."),
        StatusCode::NOT_FOUND => {
            ("Page not found", "It may have been moved or deleted, or you may not have permission to view it.")
        }
        StatusCode::CONFLICT => {
            ("Edit conflict", "Someone else changed this after you opened the page. Reload the page and try again.")
        }
        StatusCode::METHOD_NOT_ALLOWED => ("Method not allowed", "This page does not support this kind of request."),
        StatusCode::PAYLOAD_TOO_LARGE => ("Request too large", "The form is larger than the server accepts."),
        StatusCode::TOO_MANY_REQUESTS => ("Too many requests", "Wait a moment, then try again."),
        StatusCode::SERVICE_UNAVAILABLE => ("Server busy", "Try again in a few seconds."),
        StatusCode::INSUFFICIENT_STORAGE => {
            ("Server disk full", "Nothing was changed. Contact an administrator to free some space, then try again.")
        }
        status if status.is_server_error() => (
            "Something went wrong",
            "An error occurred on the server. Contact an administrator if the problem persists.",
        ),
        _ => ("Bad request", "Go back and try again."),
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn only_paths_of_the_api_are_the_api() {
        for path in ["/api/v4/user", "//api/v4", "/api"] {
            assert!(is_api(path), "{path}");
        }
        for path in ["/", "/apis/x.git/info/refs", "/group/api/x.git", "/uploads/-/system/user/avatar/1/a.png"] {
            assert!(!is_api(path), "{path}");
        }
    }

    #[test]
    fn browsers_get_a_page_and_programs_what_they_read() {
        for (path, accept, want) in [
            ("/profile", "text/html,application/xhtml+xml,*/*;q=0.8", "text/html; charset=utf-8"),
            ("/profile", "*/*", "text/plain"),
            ("/profile", "", "text/plain"),
            ("/api/v4/user", "text/html", "text/plain"),
        ] {
            let request = TestRequest::with_uri(path).insert_header((header::ACCEPT, accept)).to_http_request();
            let response = respond(ApiError::throttled(7), &request);
            let header = |name: HeaderName| response.headers().get(name).unwrap().to_str().unwrap().to_owned();
            assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
            assert_eq!((header(header::CONTENT_TYPE).as_str(), header(header::RETRY_AFTER).as_str()), (want, "7"));
        }
    }
}

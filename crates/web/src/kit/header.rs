//! Headers and methods of a request.

use actix_web::http::Method;
use actix_web::http::header::HeaderMap;

/// True if a request of this method changes nothing.
pub(crate) fn reads(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// A header as text. None if it is missing, or no text.
pub(crate) fn text_header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

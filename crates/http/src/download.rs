//! Files that browsers download or show as plain text.

use actix_web::http::{StatusCode, header};
use actix_web::{HttpResponse, HttpResponseBuilder};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tenon_edge::error::ApiError;

use crate::endpoint::{Reply, ReplyDoc, RequestHead};

/// No scripts, frames or forms.
pub(crate) const POLICY: &str = "sandbox; default-src 'none'";

/// `Content-Disposition` (RFC 6266): the name of the file, and `inline` if a browser shows it. The type of actix-web
/// leaves more characters of the name unescaped than clients of this API are used to.
pub(crate) fn disposition(name: &str, shown: bool) -> String {
    let how = if shown { "inline" } else { "attachment" };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+');
    let fallback: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    if fallback == name {
        return format!("{how}; filename=\"{name}\"");
    }
    format!("{how}; filename=\"{fallback}\"; filename*=UTF-8''{}", utf8_percent_encode(name, NON_ALPHANUMERIC))
}

/// A response whose body browsers take for nothing but plain text, under this name.
pub(crate) fn plain(name: &str) -> HttpResponseBuilder {
    let mut response = HttpResponse::Ok();
    response
        .insert_header((header::CONTENT_TYPE, "text/plain"))
        .insert_header((header::CONTENT_DISPOSITION, disposition(name, true)))
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"));
    response
}

/// 200 with a text, as it is stored.
#[derive(Debug)]
pub(crate) struct PlainText {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl Reply for PlainText {
    fn respond(self, _: &RequestHead) -> Result<HttpResponse, ApiError> {
        Ok(plain(&self.name).body(self.text))
    }

    fn describe() -> ReplyDoc {
        ReplyDoc { outcomes: vec![(StatusCode::OK, "The text, as `text/plain`.", None)], ..ReplyDoc::default() }
    }
}

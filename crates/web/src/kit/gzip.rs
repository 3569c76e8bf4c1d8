//! Answers in gzip.

use std::io::Write as _;

use actix_web::HttpRequest;
use actix_web::http::header::{AcceptEncoding, Encoding, Header as _};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

/// True if the client prefers gzip to uncompressed bytes (RFC 9110, `Accept-Encoding`).
pub(crate) fn is_accepted(request: &HttpRequest) -> bool {
    let accepted = AcceptEncoding::parse(request).ok();
    let offered = [Encoding::gzip(), Encoding::identity()];
    accepted.and_then(|accepted| accepted.negotiate(offered.iter())).is_some_and(|chosen| chosen == Encoding::gzip())
}

/// The text in gzip. Writing to memory cannot fail.
pub(crate) fn compressed(text: &str, level: Compression) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 4), level);
    let written = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    written.map(Bytes::from).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn gzip_is_sent_to_those_who_ask_for_it() {
        let asked =
            |value: &str| is_accepted(&TestRequest::get().insert_header(("accept-encoding", value)).to_http_request());
        for (value, want) in [
            ("gzip, deflate, br, zstd", true),
            ("gzip;q=0.8, br", true),
            ("*", false),
            ("", false),
            ("br", false),
            ("gzip;q=0", false),
            ("identity", false),
            ("gzip;q=0.1, identity;q=0.5", false),
        ] {
            assert_eq!(asked(value), want, "{value}");
        }
        assert!(!is_accepted(&TestRequest::get().to_http_request()));
    }
}

//! Answers in gzip.

use std::io::Write as _;

use actix_web::HttpRequest;
use actix_web::http::header::{AcceptEncoding, Encoding, Header as _};
use actix_web::rt::task::yield_now;
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

/// The bytes that are compressed before other requests of the same thread get a turn. Takes about a millisecond.
const PART: usize = 64 * 1024;

/// As [`compressed`] at the fastest level. Other requests run between two parts of a long text.
pub(crate) async fn compressed_in_parts(text: &str) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 4), Compression::fast());
    for part in text.as_bytes().chunks(PART) {
        if encoder.write_all(part).is_err() {
            break;
        }
        yield_now().await;
    }
    encoder.finish().map(Bytes::from).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

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
    #[actix_web::test]
    async fn parts_are_one_text() {
        for length in [0, 1, PART, PART + 1, 3 * PART] {
            let text = "0123456789".chars().cycle().take(length).collect::<String>();
            let packed = compressed_in_parts(&text).await;
            let mut unpacked = String::new();
            flate2::read::GzDecoder::new(packed.as_ref()).read_to_string(&mut unpacked).unwrap();
            assert_eq!(unpacked, text);
        }
    }
}

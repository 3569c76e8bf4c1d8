//! Multipart forms: parameters and uploaded files.

use std::collections::HashMap;

use actix_multipart::Multipart;
use actix_web::http::header::HeaderMap;
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, stream};

use super::param_map::{MAX_NAMES, ParamMap};
use super::raw::{RawParams, Upload};
use super::unreadable::UnreadableRequest;

/// Parses a body that has been received completely, so that its size is already bounded.
pub(crate) async fn parse(headers: &HeaderMap, body: Bytes) -> Result<RawParams, UnreadableRequest> {
    let mut values = ParamMap::default();
    let mut files = HashMap::new();
    let mut several: HashMap<String, Vec<Upload>> = HashMap::new();
    let mut parts = Multipart::new(headers, stream::iter([Ok(body)]));
    let mut count = 0;
    while let Some(part) = parts.next().await {
        count += 1;
        if count > MAX_NAMES {
            return Err(UnreadableRequest::TooManyNames);
        }
        let mut part = part.map_err(malformed)?;
        let mut bytes = BytesMut::new();
        while let Some(chunk) = part.next().await {
            bytes.extend_from_slice(&chunk.map_err(malformed)?);
        }
        let Some(name) = part.name().map(str::to_owned) else {
            continue;
        };
        match part.content_disposition().and_then(|disposition| disposition.get_filename()) {
            // A browser sends an empty file without a name for an input without a file.
            Some(file_name) if !(file_name.is_empty() && bytes.is_empty()) => {
                let content_type = part.content_type().map(ToString::to_string);
                let file = Upload { file_name: file_name.to_owned(), content_type, bytes: bytes.freeze() };
                if name.ends_with("[]") {
                    several.entry(name).or_default().push(file);
                } else {
                    files.insert(name, file);
                }
            }
            _ => match std::str::from_utf8(&bytes) {
                Ok(text) => values.insert(&name, text.to_owned())?,
                Err(_) => return Err(UnreadableRequest::NotUtf8),
            },
        }
    }
    Ok(RawParams { values, files, several })
}

fn malformed(error: actix_multipart::MultipartError) -> UnreadableRequest {
    UnreadableRequest::Malformed(error.to_string())
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{self, HeaderValue};
    use serde_json::{Value, json};

    use super::*;

    fn headers() -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("multipart/form-data; boundary=xx"));
        headers
    }

    #[actix_web::test]
    async fn fields_are_parameters_and_files_stand_beside_them() {
        let large = "x".repeat(300_000);
        let body = format!(
            "--xx\r\nContent-Disposition: form-data; name=\"tags[]\"\r\n\r\na\r\n\
             --xx\r\nContent-Disposition: form-data; name=\"tags[]\"\r\n\r\nb\r\n\
             --xx\r\nContent-Disposition: form-data; name=\"avatar\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\n{large}\r\n\
             --xx\r\nContent-Disposition: form-data; name=\"logo\"; filename=\"\"\r\n\r\n\r\n--xx--\r\n"
        );
        let params = parse(&headers(), body.into()).await.unwrap();
        assert_eq!(Value::Object(params.values.values), json!({"tags": ["a", "b"], "logo": ""}));
        let avatar = &params.files["avatar"];
        assert_eq!((avatar.file_name.as_str(), avatar.content_type.as_deref()), ("a.png", Some("image/png")));
        assert_eq!(avatar.bytes, large);
    }

    #[actix_web::test]
    async fn a_field_for_several_files_has_all_of_them() {
        let part = |name: &str, text: &str| {
            format!("--xx\r\nContent-Disposition: form-data; name=\"files[]\"; filename=\"{name}\"\r\n\r\n{text}\r\n")
        };
        let body = format!("{}{}{}--xx--\r\n", part("a.txt", "1"), part("b.txt", "2"), part("a.txt", ""));
        let params = parse(&headers(), body.into()).await.unwrap();
        let sent: Vec<(&str, &[u8])> =
            params.several["files[]"].iter().map(|file| (file.file_name.as_str(), &file.bytes[..])).collect();
        let want: [(&str, &[u8]); 3] = [("a.txt", b"1"), ("b.txt", b"2"), ("a.txt", b"")];
        assert_eq!((sent.as_slice(), params.files.len()), (want.as_slice(), 0));
    }

    #[actix_web::test]
    async fn what_is_no_multipart_body_is_malformed() {
        for body in ["x", "--xx", "--xx\r\n\r\n", "--xx\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nab"] {
            let outcome = parse(&headers(), Bytes::from(body)).await;
            assert!(matches!(outcome, Err(UnreadableRequest::Malformed(_))), "{body:?}: {outcome:?}");
        }
        assert!(matches!(parse(&HeaderMap::new(), Bytes::new()).await, Err(UnreadableRequest::Malformed(_))));
    }
}

//! Bodies: received within a limit, then parsed by content type.

use std::time::Duration;

use actix_web::http::header::{self, HeaderMap};
use actix_web::rt::time::timeout;
use actix_web::web::Payload;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;

use super::multipart;
use super::param_map::ParamMap;
use super::raw::RawParams;
use super::unreadable::UnreadableRequest;
use crate::wire::budget::Reservation;

/// The time in which a body has to arrive.
const PATIENCE: Duration = Duration::from_mins(1);

/// Larger JSON bodies are parsed on another thread.
const LONG_TO_READ: usize = 256 * 1024;

/// Receives the whole body, unless it is larger than `limit`. Its bytes are added to `reservation`.
pub async fn receive(
    headers: &HeaderMap,
    mut payload: Payload,
    limit: usize,
    reservation: &mut Reservation,
) -> Result<Bytes, UnreadableRequest> {
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > limit) {
        return Err(UnreadableRequest::TooLarge);
    }
    let read = async {
        let mut body = BytesMut::new();
        while let Some(chunk) = payload.next().await {
            let chunk = chunk.map_err(|error| UnreadableRequest::Malformed(error.to_string()))?;
            if body.len() + chunk.len() > limit {
                return Err(UnreadableRequest::TooLarge);
            }
            reservation.grow(chunk.len()).map_err(|_exhausted| UnreadableRequest::Busy)?;
            body.extend_from_slice(&chunk);
        }
        Ok(body.freeze())
    };
    timeout(PATIENCE, read).await.unwrap_or(Err(UnreadableRequest::TooSlow))
}

/// True if a body is a form. Clients put the parameters of reads into one. They announce other types on reads as well,
/// and send nothing.
pub fn is_form(headers: &HeaderMap) -> bool {
    is_urlencoded(headers) || declared(headers).eq_ignore_ascii_case("multipart/form-data")
}

/// True if a body has the format of a query string.
pub fn is_urlencoded(headers: &HeaderMap) -> bool {
    declared(headers).eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

/// The content type, without its parameters; empty if there is none.
fn declared(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
    value.as_deref().and_then(|value| value.split(';').next()).unwrap_or_default().trim().to_owned()
}

/// Parses a body by its content type. An empty body has no parameters, whatever its type.
pub async fn parse(headers: &HeaderMap, body: Bytes) -> Result<RawParams, UnreadableRequest> {
    if body.is_empty() {
        return Ok(RawParams::default());
    }
    let declared = declared(headers);
    let values = match declared.to_ascii_lowercase().as_str() {
        // A large body would block the other connections of this thread.
        "application/json" if body.len() > LONG_TO_READ => {
            let read = actix_web::web::block(move || ParamMap::from_json(&body)).await;
            read.unwrap_or_else(|error| Err(UnreadableRequest::Malformed(error.to_string())))?
        }
        "application/json" => ParamMap::from_json(&body)?,
        "application/x-www-form-urlencoded" => ParamMap::from_query(&body)?,
        "multipart/form-data" => return multipart::parse(headers, body).await,
        "" | "text/plain" => ParamMap::default(),
        kind if kind.starts_with("application/") && kind.ends_with("+json") => ParamMap::from_json(&body)?,
        _ => return Err(UnreadableRequest::UnsupportedType(declared)),
    };
    Ok(RawParams::without_files(values))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;
    use serde_json::{Value, json};

    use super::*;

    async fn parsed(kind: &str, body: &str) -> Result<Value, UnreadableRequest> {
        let mut headers = HeaderMap::new();
        if !kind.is_empty() {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_str(kind).unwrap());
        }
        parse(&headers, Bytes::from(body.to_owned())).await.map(|params| Value::Object(params.values.values))
    }

    #[actix_web::test]
    async fn the_content_type_decides() {
        let ok = [
            ("application/json", r#"{"a":1}"#, json!({"a": 1})),
            ("Application/JSON; charset=utf-8", r#"{"a":1}"#, json!({"a": 1})),
            ("application/merge-patch+json", r#"{"a":1}"#, json!({"a": 1})),
            ("application/x-www-form-urlencoded", "a=1", json!({"a": "1"})),
            ("application/json", "", json!({})),
            ("text/xml", "", json!({})),
            ("multipart/form-data", "", json!({})),
            ("text/plain", "a=1", json!({})),
            ("", "a=1", json!({})),
        ];
        for (kind, body, want) in ok {
            assert_eq!(parsed(kind, body).await, Ok(want), "{kind} {body}");
        }
        assert_eq!(parsed("text/xml", "<a/>").await, Err(UnreadableRequest::UnsupportedType("text/xml".into())));
        let text = parsed("application/json", "{").await.unwrap_err().to_string();
        assert!(text.contains("message body does not match declared format"), "{text}");
    }
}

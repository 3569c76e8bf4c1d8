//! Bodies: read within a limit, then taken apart by content type
//! (reference: users-groups-auth-settings, section 1.2).

use std::collections::HashMap;
use std::time::Duration;

use actix_web::http::header::{self, HeaderMap};
use actix_web::rt::time::timeout;
use actix_web::web::Payload;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;

use super::multipart;
use super::problems::WireProblem;
use super::wire::Wire;
use crate::wire::budget::Reservation;

/// How long a body may take to arrive.
const PATIENCE: Duration = Duration::from_mins(1);

/// Bytes of JSON that are read on a thread of their own.
const LONG_TO_READ: usize = 256 * 1024;

/// A file that came with a multipart body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Upload {
    /// The name that the client gave it. Not to be trusted.
    pub(crate) file_name: String,
    /// The type that the client claims, if any. Not to be trusted.
    pub(crate) content_type: Option<String>,
    /// Its contents.
    pub(crate) bytes: Bytes,
}

/// A body taken apart: plain parameters, and uploaded files by field name.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Body {
    /// The parameters.
    pub(crate) wire: Wire,
    /// The files.
    pub(crate) files: HashMap<String, Upload>,
}

/// Receives the whole body, unless it is larger than `limit`. What it occupies is added to `reservation`.
pub(crate) async fn receive(
    headers: &HeaderMap,
    mut payload: Payload,
    limit: usize,
    reservation: &mut Reservation,
) -> Result<Bytes, WireProblem> {
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > limit) {
        return Err(WireProblem::TooLarge);
    }
    let read = async {
        let mut body = BytesMut::new();
        while let Some(chunk) = payload.next().await {
            let chunk = chunk.map_err(|error| WireProblem::Malformed(error.to_string()))?;
            if body.len() + chunk.len() > limit {
                return Err(WireProblem::TooLarge);
            }
            reservation.grow(chunk.len()).map_err(|_exhausted| WireProblem::Busy)?;
            body.extend_from_slice(&chunk);
        }
        Ok(body.freeze())
    };
    timeout(PATIENCE, read).await.unwrap_or(Err(WireProblem::TooSlow))
}

/// Reads a body by its content type. An empty body has no parameters whatever its type claims.
pub(crate) async fn parse(headers: &HeaderMap, body: Bytes) -> Result<Body, WireProblem> {
    if body.is_empty() {
        return Ok(Body::default());
    }
    let declared = headers.get(header::CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
    let declared = declared.as_deref().and_then(|value| value.split(';').next()).unwrap_or_default().trim();
    let wire = match declared.to_ascii_lowercase().as_str() {
        // A large body would keep the other connections of this thread waiting.
        "application/json" if body.len() > LONG_TO_READ => {
            let read = actix_web::web::block(move || Wire::from_json(&body)).await;
            read.unwrap_or_else(|error| Err(WireProblem::Malformed(error.to_string())))?
        }
        "application/json" => Wire::from_json(&body)?,
        "application/x-www-form-urlencoded" => Wire::from_query(&body)?,
        "multipart/form-data" => return multipart::parse(headers, body).await,
        "" | "text/plain" => Wire::default(),
        kind if kind.starts_with("application/") && kind.ends_with("+json") => Wire::from_json(&body)?,
        _ => return Err(WireProblem::UnsupportedType(declared.to_owned())),
    };
    Ok(Body { wire, files: HashMap::new() })
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;
    use serde_json::{Value, json};

    use super::*;

    async fn parsed(kind: &str, body: &str) -> Result<Value, WireProblem> {
        let mut headers = HeaderMap::new();
        if !kind.is_empty() {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_str(kind).unwrap());
        }
        parse(&headers, Bytes::from(body.to_owned())).await.map(|body| Value::Object(body.wire.values))
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
        assert_eq!(parsed("text/xml", "<a/>").await, Err(WireProblem::UnsupportedType("text/xml".into())));
        let text = parsed("application/json", "{").await.unwrap_err().to_string();
        assert!(text.contains("message body does not match declared format"), "{text}");
    }
}

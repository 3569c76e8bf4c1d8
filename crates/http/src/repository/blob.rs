//! Blobs, and the raw content of files.

use std::fmt;

use actix_web::body::SizedStream;
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpResponse, web};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::StreamExt as _;
use tenon_app::identity::Guard;
use tenon_app::repository::{self, ByteStream, Content, LfsObject};
use tenon_edge::error::ApiError;

use super::project;
use crate::download::plain;
use crate::dto::repository::BlobDto;
use crate::endpoint::{Call, Caller, Json, Reply, ReplyDoc, RequestHead, Routes};

pub(super) fn routes(api: &mut Routes) {
    api.tag("Repositories")
        .get("/projects/{id}/repository/blobs/{sha}", Guard::Anyone, show, "One blob, in Base64.")
        .get("/projects/{id}/repository/blobs/{sha}/raw", Guard::Anyone, raw, "The bytes of a blob.");
}

/// Larger contents are streamed instead of read before the response starts.
pub(super) const AT_ONCE: u64 = 256 * 1024;

/// 200 with the bytes of a file, which browsers treat as plain text.
#[derive(Debug)]
pub(super) struct Raw {
    name: String,
    body: RawBody,
}

enum RawBody {
    Whole(Vec<u8>),
    /// The size, and the bytes.
    Stream(u64, ByteStream),
}

impl fmt::Debug for RawBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RawBody")
    }
}

impl Raw {
    /// The reply to `caller` with this content. It is not read for HEAD.
    pub(super) async fn new(caller: &Caller, name: String, content: Content) -> Result<Self, ApiError> {
        let size = content.size();
        let body = match content {
            Content::Whole(bytes) => RawBody::Whole(bytes),
            Content::Large(_) if caller.head().method == Method::HEAD => {
                RawBody::Stream(size, futures_util::stream::empty().boxed_local())
            }
            Content::Large(blob) => RawBody::Stream(size, blob.stream(caller.app()).await?),
        };
        Ok(Self { name, body })
    }
}

impl Raw {
    /// The reply with a large file.
    pub(super) fn of_object(name: String, LfsObject { size, body }: LfsObject) -> Self {
        Self { name, body: RawBody::Stream(size, body) }
    }
}

impl Reply for Raw {
    fn respond(self, _: &RequestHead) -> Result<HttpResponse, ApiError> {
        let mut response = plain(&self.name);
        Ok(match self.body {
            RawBody::Whole(bytes) => response.body(bytes),
            RawBody::Stream(size, bytes) => response.body(SizedStream::new(size, bytes)),
        })
    }

    fn describe() -> ReplyDoc {
        ReplyDoc { outcomes: vec![(StatusCode::OK, "The bytes, as `text/plain`.", None)], ..ReplyDoc::default() }
    }
}

/// Runs CPU-bound work on another thread, so that it does not block the connections of this one.
pub(super) async fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    web::block(work).await.map_err(|error| ApiError::internal(&error))
}

/// Base64 in one line.
pub(super) fn encoded(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

async fn show(call: Call<()>) -> Result<Json<BlobDto>, ApiError> {
    let sha = call.path("sha").to_owned();
    let most = call.app().limits().answers.json_file;
    let bytes = match repository::blob(call.app(), call.identity(), project(&call), sha.clone(), most).await? {
        Content::Whole(bytes) => bytes,
        Content::Large(_) => return Err(too_large(most)),
    };
    let (size, content) = spawn_blocking(move || (bytes.len(), encoded(&bytes))).await?;
    Ok(Json(BlobDto { size, encoding: "base64", content, sha }))
}

async fn raw(call: Call<()>) -> Result<Raw, ApiError> {
    let sha = call.path("sha").to_owned();
    let content = repository::blob(call.app(), call.identity(), project(&call), sha.clone(), AT_ONCE).await?;
    Raw::new(&call, sha, content).await
}

/// 413 for a file that is too large for JSON.
pub(super) fn too_large(most: u64) -> ApiError {
    let text = format!("The file has more than {most} bytes; its raw form has no limit");
    ApiError::message(StatusCode::PAYLOAD_TOO_LARGE, text)
}

#[cfg(test)]
mod tests {
    use actix_web::http::header;

    use super::*;
    use crate::download::POLICY;

    #[test]
    fn bytes_are_never_more_than_text_to_a_browser() {
        let head = RequestHead::example("/api/v4/projects/1/repository/files/a.html/raw", "");
        let response =
            Raw { name: "a.html".to_owned(), body: RawBody::Whole(b"<script>".to_vec()) }.respond(&head).unwrap();
        let header = |name| response.headers().get(name).unwrap().to_str().unwrap();
        assert_eq!(header(header::CONTENT_TYPE), "text/plain");
        assert_eq!(header(header::X_CONTENT_TYPE_OPTIONS), "nosniff");
        assert_eq!(header(header::CONTENT_SECURITY_POLICY), POLICY);
        assert_eq!(header(header::CONTENT_DISPOSITION), "inline; filename=\"a.html\"");
    }
}

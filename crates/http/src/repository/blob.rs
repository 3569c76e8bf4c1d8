//! Blobs, and files as plain bytes (reference: repository-git-webhooks, section 12).

use actix_web::http::{StatusCode, header};
use actix_web::{HttpResponse, web};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use tenon_app::identity::Guard;
use tenon_app::repository;
use utoipa::ToSchema;

use super::project;
use crate::call::{Call, RequestHead};
use crate::error::ApiError;
use crate::files::{POLICY, disposition};
use crate::reply::{Json, Reply, ReplyDoc};
use crate::routes::Routes;

pub(super) fn routes(api: &mut Routes) {
    api.tag("Repositories")
        .get("/projects/{id}/repository/blobs/{sha}", Guard::Anyone, show, "One blob, in Base64.")
        .get("/projects/{id}/repository/blobs/{sha}/raw", Guard::Anyone, raw, "The bytes of a blob.");
}

/// A blob.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BlobDto {
    /// In bytes.
    size: usize,
    encoding: &'static str,
    /// Base64 in one line.
    content: String,
    sha: String,
}

/// 200 with the bytes of a file, which no browser takes for anything but text.
#[derive(Debug)]
pub(super) struct Raw {
    /// What it is called.
    pub(super) name: String,
    /// All of it.
    pub(super) bytes: Vec<u8>,
}

impl Reply for Raw {
    fn respond(self, _: &RequestHead) -> Result<HttpResponse, ApiError> {
        let mut response = HttpResponse::Ok();
        response
            .insert_header((header::CONTENT_TYPE, "text/plain"))
            .insert_header((header::CONTENT_DISPOSITION, disposition(&self.name, true)))
            .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
            .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"));
        Ok(response.body(self.bytes))
    }

    fn describe() -> ReplyDoc {
        ReplyDoc { outcomes: vec![(StatusCode::OK, "The bytes, as `text/plain`.", None)], ..ReplyDoc::default() }
    }
}

/// Runs what costs time for every byte away from the threads that serve everybody.
pub(super) async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
    web::block(work).await.map_err(|error| ApiError::internal(&error))
}

/// Base64 in one line.
pub(super) fn encoded(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

async fn show(call: Call<()>) -> Result<Json<BlobDto>, ApiError> {
    let sha = call.path("sha").to_owned();
    let bytes = repository::blob(call.app(), call.identity(), project(&call), sha.clone()).await?;
    let (size, content) = aside(move || (bytes.len(), encoded(&bytes))).await?;
    Ok(Json(BlobDto { size, encoding: "base64", content, sha }))
}

async fn raw(call: Call<()>) -> Result<Raw, ApiError> {
    let sha = call.path("sha").to_owned();
    let bytes = repository::blob(call.app(), call.identity(), project(&call), sha.clone()).await?;
    Ok(Raw { name: sha, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_never_more_than_text_to_a_browser() {
        let head = RequestHead::example("/api/v4/projects/1/repository/files/a.html/raw", "");
        let response = Raw { name: "a.html".to_owned(), bytes: b"<script>".to_vec() }.respond(&head).unwrap();
        let header = |name| response.headers().get(name).unwrap().to_str().unwrap();
        assert_eq!(header(header::CONTENT_TYPE), "text/plain");
        assert_eq!(header(header::X_CONTENT_TYPE_OPTIONS), "nosniff");
        assert_eq!(header(header::CONTENT_SECURITY_POLICY), POLICY);
        assert_eq!(header(header::CONTENT_DISPOSITION), "inline; filename=\"a.html\"");
    }
}

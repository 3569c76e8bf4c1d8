//! Archives.

use std::fmt;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName};
use tenon_app::identity::Guard;
use tenon_app::repository::{self, ArchiveView};
use tenon_edge::error::ApiError;

use super::{filled, project};
use crate::download::disposition;
use crate::endpoint::{Call, Reply, ReplyDoc, RequestHead, Routes};
use crate::params::{PathText, params};

pub(super) fn routes(api: &mut Routes) {
    api.tag("Repositories")
        .get("/projects/{id}/repository/archive", Guard::Anyone, show, "An archive, as `tar.gz`.")
        .get("/projects/{id}/repository/archive.{format}", Guard::Anyone, show, "An archive of this format.");
}

params! {
    /// The content of an archive.
    pub(crate) struct ArchiveParams {
        /// A branch, tag or commit; the default branch by default.
        sha: Option<String>,
        /// Only this directory.
        path: Option<PathText>,
    }
}

/// 200 with an archive, which is streamed.
struct Archive(ArchiveView);

impl fmt::Debug for Archive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Archive").field(&self.0.file_name).finish()
    }
}

/// The response with an archive.
pub(crate) fn archive(archive: ArchiveView) -> HttpResponse {
    let kind = if archive.is_zip { "application/zip" } else { "application/octet-stream" };
    let mut response = HttpResponse::Ok();
    response
        .insert_header((header::CONTENT_TYPE, kind))
        .insert_header((header::CONTENT_DISPOSITION, disposition(&archive.file_name, false)))
        .insert_header((HeaderName::from_static("content-transfer-encoding"), "binary"))
        .insert_header((header::CACHE_CONTROL, "private"));
    response.streaming(archive.body)
}

impl Reply for Archive {
    fn respond(self, _: &RequestHead) -> Result<HttpResponse, ApiError> {
        Ok(archive(self.0))
    }

    fn describe() -> ReplyDoc {
        ReplyDoc { outcomes: vec![(StatusCode::OK, "The archive.", None)], ..ReplyDoc::default() }
    }
}

async fn show(Call { caller, params }: Call<ArchiveParams>) -> Result<Archive, ApiError> {
    let format = filled(Some(caller.path("format").to_owned()));
    let (revision, path) = (filled(params.sha), filled(params.path.map(|path| path.0)));
    let found = repository::archive(caller.app(), caller.identity(), project(&caller), revision, format, path).await?;
    Ok(Archive(found))
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt as _;

    use super::*;

    #[test]
    fn an_archive_is_saved_under_its_name() {
        for (file_name, is_zip, kind) in
            [("a-main-0.zip", true, "application/zip"), ("a-main-0.tar.gz", false, "application/octet-stream")]
        {
            let body = futures_util::stream::empty().boxed_local();
            let head = RequestHead::example("/api/v4/projects/1/repository/archive", "");
            let archive = Archive(ArchiveView { file_name: file_name.to_owned(), is_zip, body });
            let response = archive.respond(&head).unwrap();
            let header = |name: &str| response.headers().get(name).unwrap().to_str().unwrap();
            assert_eq!(header("content-type"), kind);
            assert_eq!(header("content-disposition"), format!("attachment; filename=\"{file_name}\""));
            assert_eq!((header("content-transfer-encoding"), header("cache-control")), ("binary", "private"));
        }
    }
}

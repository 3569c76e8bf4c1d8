//! Uploads as JSON.

use serde::Serialize;
use tenon_app::upload::{UploadLink, UploadView};
use utoipa::ToSchema;

/// A stored file.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UploadDto {
    /// The text of the link or image.
    alt: String,
    /// The URL below that of the project.
    url: String,
    /// The path on this server, which does not change when the project moves.
    full_path: String,
    /// Markdown that embeds the file.
    markdown: String,
}

impl From<UploadView> for UploadDto {
    fn from(view: UploadView) -> Self {
        let UploadLink { alt, url, markdown } = view.link();
        Self { alt, full_path: format!("/-/project/{}{url}", view.project), markdown, url }
    }
}

//! Uploads as JSON.

use serde::Serialize;
use tenon_domain::id::ProjectId;
use utoipa::ToSchema;

/// Extensions of files that a text can embed.
const SHOWN: [&str; 12] = ["png", "jpg", "jpeg", "gif", "bmp", "tiff", "ico", "mp4", "m4v", "mov", "webm", "ogv"];

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

impl UploadDto {
    // A stored name contains no brackets, so nothing needs escaping.
    pub(crate) fn new(project: ProjectId, secret: &str, name: &str) -> Self {
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        let ending = ending.to_ascii_lowercase();
        let (alt, mark) = match ending.as_str() {
            ending if SHOWN.contains(&ending) => (stem, "!"),
            "svg" => (name, "!"),
            _ => (name, ""),
        };
        let url = format!("/uploads/{secret}/{name}");
        Self {
            alt: alt.to_owned(),
            full_path: format!("/-/project/{project}{url}"),
            markdown: format!("{mark}[{alt}]({url})"),
            url,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_shows_pictures_and_links_to_the_rest() {
        for (name, alt, markdown) in [
            ("a.png", "a", "![a](/uploads/s/a.png)"),
            ("a.b.MP4", "a.b", "![a.b](/uploads/s/a.b.MP4)"),
            ("a.svg", "a.svg", "![a.svg](/uploads/s/a.svg)"),
            ("a.txt", "a.txt", "[a.txt](/uploads/s/a.txt)"),
            ("png", "png", "[png](/uploads/s/png)"),
        ] {
            let dto = UploadDto::new(ProjectId::new(7), "s", name);
            assert_eq!((dto.alt.as_str(), dto.markdown.as_str()), (alt, markdown));
            assert_eq!(dto.full_path, format!("/-/project/7/uploads/s/{name}"));
        }
    }
}

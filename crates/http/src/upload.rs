//! Uploading files for use in texts (reference: issues-merge-requests-projects, section 8). They are served by
//! `files.rs`.

use serde::Serialize;
use tenon_app::Reference;
use tenon_app::identity::Guard;
use tenon_app::upload;
use tenon_domain::id::ProjectId;
use utoipa::ToSchema;

use crate::call::Call;
use crate::error::ApiError;
use crate::params::{Upload, params};
use crate::reply::Created;
use crate::routes::Routes;

/// The largest body: it is held in memory. The setting `max_attachment_size` counts only below this.
const BODY_LIMIT: usize = 32 * 1024 * 1024;

/// Endings of what a text can show.
const SHOWN: [&str; 12] = ["png", "jpg", "jpeg", "gif", "bmp", "tiff", "ico", "mp4", "m4v", "mov", "webm", "ogv"];

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Project uploads").body_limit(BODY_LIMIT).post(
        "/projects/{id}/uploads",
        Guard::SignedIn,
        store,
        "Uploads a file for use in texts of a project.",
    );
}

params! {
    /// A file.
    pub(crate) struct UploadParams {
        /// The file.
        file: Upload,
    }
}

/// A stored file, ready to be put into a text.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UploadDto {
    /// What the link or picture is called.
    alt: String,
    /// The address below that of the project.
    url: String,
    /// The address on this server, which stays when the project moves.
    full_path: String,
    /// What to put into a text.
    markdown: String,
}

impl UploadDto {
    // A stored name holds no brackets, so that nothing in it needs escaping.
    fn new(project: ProjectId, secret: &str, name: &str) -> Self {
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

/// The bytes are stored before the row, so that nothing ever refers to a file that is not there.
async fn store(Call { caller, params }: Call<UploadParams>) -> Result<Created<UploadDto>, ApiError> {
    let id = Reference::parse(caller.path("id"));
    let Upload { file_name, bytes, .. } = params.file;
    let size = bytes.len();
    let place = caller.read(move |query| upload::place(query, &id, size)).await?;
    let stored = upload::store(caller.app(), place, &file_name, bytes).await?;
    let (project, row) = (stored.project, stored.clone());
    match caller.write(move |command| upload::record(command, &row)).await {
        Ok(view) => Ok(Created(UploadDto::new(project, &view.secret, &view.file_name))),
        Err(error) => {
            upload::forget(caller.app(), &stored).await;
            Err(error)
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

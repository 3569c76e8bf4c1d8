//! Uploading files for use in texts. `entry/files.rs` serves them.

use tenon_app::identity::Guard;
use tenon_app::{Reference, upload};
use tenon_edge::error::ApiError;
use tenon_edge::raw::Upload;

use crate::dto::upload::UploadDto;
use crate::endpoint::{Call, Created, Routes};
use crate::params::params;

/// The largest body, which is held in memory. The setting `max_attachment_size` has an effect only below this.
const BODY_LIMIT: usize = 32 * 1024 * 1024;

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

/// The bytes are stored before the row, so that no row ever names a missing file.
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

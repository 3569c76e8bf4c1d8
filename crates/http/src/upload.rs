//! Uploading files for use in texts. `entry/files.rs` serves them.

use tenon_app::identity::Guard;
use tenon_app::{Reference, upload};
use tenon_edge::error::ApiError;
use tenon_edge::raw::Upload;

use crate::dto::upload::UploadDto;
use crate::endpoint::{Call, Created, Routes};
use crate::params::params;

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Project uploads").body_limit(upload::MAX_BODY).post(
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

async fn store(Call { caller, params }: Call<UploadParams>) -> Result<Created<UploadDto>, ApiError> {
    let id = Reference::parse(caller.path("id"));
    let Upload { file_name, bytes, .. } = params.file;
    let view = upload::save(caller.app(), caller.identity(), id, &file_name, bytes).await?;
    Ok(Created(view.into()))
}

//! Avatars in requests that create or change a user, group or project.

use tenon_app::Command;
use tenon_app::avatar::{NewPicture, write_with_picture};
use tenon_app::error::AppError;
use tenon_domain::avatar::Avatar;
use tenon_domain::patch::Patch;
use tenon_edge::error::ApiError;
use tenon_edge::raw::Upload;

use crate::endpoint::Caller;

/// The largest body on routes that take an avatar. The limit of the picture itself is checked later, with its own
/// message.
pub(crate) const BODY_LIMIT: usize = 4 * 1024 * 1024;

/// Runs a use case with the uploaded avatar, as this caller.
pub(crate) async fn with_picture<T: Send + 'static>(
    caller: &Caller,
    upload: Patch<Upload>,
    work: impl FnOnce(&mut Command<'_>, Patch<Avatar>) -> Result<T, AppError> + Send + 'static,
) -> Result<T, ApiError> {
    Ok(write_with_picture(caller.app(), caller.identity(), upload.map(picture), work).await?)
}

/// An uploaded file as a picture.
pub(crate) fn picture(upload: Upload) -> NewPicture {
    NewPicture { bytes: upload.bytes, file_name: upload.file_name }
}

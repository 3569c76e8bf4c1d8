//! Avatars in requests that create or change a user, group or project.

use tenon_app::Command;
use tenon_app::avatar::{Picture, forget};
use tenon_app::error::AppError;
use tenon_domain::avatar::Avatar;
use tenon_domain::patch::Patch;
use tenon_edge::error::ApiError;
use tenon_edge::raw::Upload;

use crate::endpoint::Caller;

/// The largest body on routes that take an avatar. The limit of the picture itself is checked later, with its own
/// message.
pub(crate) const BODY_LIMIT: usize = 4 * 1024 * 1024;

/// Runs a command with the uploaded avatar. The bytes are stored first, so that no row ever names a missing file, and
/// are removed again if the command fails.
pub(crate) async fn with_picture<T: Send + 'static>(
    caller: &Caller,
    upload: Patch<Upload>,
    work: impl FnOnce(&mut Command<'_>, Patch<Avatar>) -> Result<T, AppError> + Send + 'static,
) -> Result<T, ApiError> {
    let upload = match upload {
        Patch::Absent => return caller.write(move |command| work(command, Patch::Absent)).await,
        Patch::Clear => return caller.write(move |command| work(command, Patch::Clear)).await,
        Patch::Set(upload) => upload,
    };
    caller.admit().await?;
    let avatar = Picture::check(upload.bytes, &upload.file_name)?.store(caller.app()).await?;
    let stored = avatar.clone();
    let outcome = caller.write(move |command| work(command, Patch::Set(avatar))).await;
    if outcome.is_err() {
        forget(caller.app(), &stored).await;
    }
    outcome
}

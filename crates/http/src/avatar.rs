//! Pictures that come with a request for something else.

use tenon_app::Command;
use tenon_app::avatar::{Picture, forget};
use tenon_app::error::AppError;
use tenon_domain::avatar::Avatar;
use tenon_domain::patch::Patch;

use crate::endpoint::Caller;
use crate::params::Upload;
use crate::wire::error::ApiError;

/// The largest body on routes that take a picture: the picture's own limit is checked after it, with a message.
pub(crate) const BODY_LIMIT: usize = 4 * 1024 * 1024;

/// Gives a command together with the picture that came with it. The bytes are stored first, so that nothing ever refers
/// to a picture that is not there, and are taken away again where the command fails.
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

//! The bytes of a large file, of which a repository has the pointer.

use std::slice::from_ref;

use tenon_domain::lfs::LfsPointer;
use tenon_domain::project::ProjectAction;
use tenon_git::CancelToken;
use tenon_storage::lfs;

use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::read::file::Content;
use crate::repository::stream::{ByteStream, stream_of};
use crate::shared::files::stored::lfs_key;

/// An object on its way.
pub struct LfsObject {
    /// Bytes.
    pub size: u64,
    /// Them.
    pub body: ByteStream,
}

/// The object that a file names, if it is a pointer and the project has the object; else the file is what it is.
///
/// # Errors
/// Those of a caller who may not read the code; [`AppError::Busy`] if there is no permit for long.
pub async fn lfs_object(
    app: &App,
    identity: &Identity,
    project: Reference,
    content: &Content,
) -> Result<Option<LfsObject>, AppError> {
    let Content::Whole(bytes) = content else { return Ok(None) };
    let Some(LfsPointer { oid, .. }) = LfsPointer::parse(bytes) else { return Ok(None) };
    let key = lfs_key(&oid);
    let size = app.read(identity, move |query| {
        let found = query.project(&project, ProjectAction::ReadCode)?.project;
        if !found.features.lfs_enabled {
            return Ok(None);
        }
        let linked = lfs::linked(&mut query.tx, found.id, from_ref(&oid))?;
        Ok(linked.get(oid.as_str()).and_then(|size| u64::try_from(*size).ok()))
    });
    let Some(size) = size.await? else { return Ok(None) };
    let client = app.client();
    let permits = app.transfer_pools().lfs_downloads.of(client);
    let permit = permits.acquire(client, app.limits().transfers.patience).await?;
    let objects = app.objects().clone();
    let Some(file) = app.on_reader(move || objects.open(&key)).await? else { return Ok(None) };
    let body = stream_of(app, Some(file), CancelToken::default().on_drop(), permit);
    Ok(Some(LfsObject { size, body }))
}

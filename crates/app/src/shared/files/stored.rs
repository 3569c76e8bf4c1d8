//! The keys of files in the store, and all that rows name: for backups and checks.

use tenon_domain::id::ProjectId;
use tenon_domain::lfs::LfsOid;
use tenon_storage::backup::named;
use tenon_storage::{ReadTx, StoreError};

/// Uploads, or LFS objects, that are read at once.
const PAGE: i64 = 1_000;

/// The folder of the uploads of a project.
pub(crate) fn upload_folder(project: ProjectId) -> String {
    format!("uploads/{project}")
}

/// The key of an upload.
pub(crate) fn upload_key(project: ProjectId, secret: &str, file_name: &str) -> String {
    format!("{}/{secret}/{file_name}", upload_folder(project))
}

/// The key of a picture of a user, group or project.
pub(crate) fn avatar_key(picture: &str) -> String {
    format!("avatars/{picture}")
}

/// The key of an LFS object.
pub(crate) fn lfs_key(oid: &LfsOid) -> String {
    let (first, rest) = oid.as_str().split_at(2);
    let second = rest.get(..2).unwrap_or_default();
    format!("lfs/{first}/{second}/{oid}")
}

/// The object of a key of [`lfs_key`]; `None` for the key of another file.
pub(crate) fn lfs_oid(key: &str) -> Option<LfsOid> {
    let (_, name) = key.strip_prefix("lfs/")?.rsplit_once('/')?;
    LfsOid::parse(name)
}

/// True if a file of this key has other bytes than its name says: the name of an LFS object is the SHA-256 of its bytes.
#[must_use]
pub fn is_misnamed(key: &str, sha256: &str) -> bool {
    key.starts_with("lfs/") && !key.ends_with(sha256)
}

/// Hands over the key of every file that a row names: each upload and LFS object, and the pictures of users, groups and projects.
///
/// # Errors
/// If the database does not answer, and what `sink` returns.
pub fn each_key<E: From<StoreError>>(
    tx: &mut ReadTx<'_>,
    sink: &mut dyn FnMut(String) -> Result<(), E>,
) -> Result<(), E> {
    for avatar in named::avatars(tx)? {
        sink(avatar_key(&avatar.key))?;
    }
    let mut last_oid = String::new();
    loop {
        let page = named::lfs_objects_after(tx, &last_oid, PAGE)?;
        let Some(last) = page.last() else { break };
        last.as_str().clone_into(&mut last_oid);
        for oid in &page {
            sink(lfs_key(oid))?;
        }
    }
    let mut after = 0;
    loop {
        let page = named::uploads_after(tx, after, PAGE)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.id;
        for named in page {
            sink(upload_key(ProjectId::new(named.project), &named.secret, &named.file_name))?;
        }
    }
}

//! Why something is not done with large files, in the words that their users read.

use tenon_domain::lfs::LfsLock;
use tenon_domain::refusal::Quota;
use tenon_storage::StoreError;

use crate::core::error::AppError;
use crate::workflows::transport::GitRefusal;

/// Why something is not done with large files.
#[derive(Debug, thiserror::Error)]
pub enum LfsRefusal {
    /// As for a fetch or a push.
    #[error(transparent)]
    Git(#[from] GitRefusal),
    /// The project has no large files.
    #[error("Git LFS is not enabled for this project.")]
    SwitchedOff,
    /// The project does not have the object. Others may.
    #[error("Object does not exist on the server or you don't have permissions to access it")]
    Missing,
    /// The name or the size of an object is none.
    #[error("The name of an object is a SHA-256 in lower-case digits, and its size a number of bytes.")]
    Malformed,
    /// The bytes are not those of the name, or not as many as announced.
    #[error("The bytes do not have the size and the SHA-256 of the object.")]
    Mismatch,
    /// The object has more bytes than this.
    #[error("An LFS object has at most {0} bytes (quotas.lfs_object).")]
    TooLarge(u64),
    /// The project has no room for the object.
    #[error("{0}.")]
    NoRoom(Quota),
    /// The range begins behind the end of the object, which has so many bytes.
    #[error("The range is not in the object.")]
    Range(u64),
    /// A path that cannot be locked.
    #[error("The path cannot be locked.")]
    Path,
    /// The project has as many locks as it may have.
    #[error("A project has at most {0} locks (contents.lfs_locks).")]
    TooManyLocks(usize),
    /// The path has this lock already.
    #[error("already locked")]
    Locked(Box<LfsLock>),
    /// The project has no such lock.
    #[error("Lock not found")]
    NoLock,
    /// The lock is that of another user.
    #[error("{0} is locked by {1}")]
    OfAnother(String, String),
    /// Only maintainers remove the locks of others.
    #[error("You must have maintainer access to force delete a lock")]
    NoMaintainer,
}

impl From<AppError> for LfsRefusal {
    fn from(error: AppError) -> Self {
        Self::Git(error.into())
    }
}

impl From<StoreError> for LfsRefusal {
    fn from(error: StoreError) -> Self {
        Self::Git(error.into())
    }
}

impl LfsRefusal {
    /// True if the client may still be sending the rest of a body.
    pub(super) const fn may_go_on(&self) -> bool {
        !matches!(self, Self::Git(GitRefusal::Incomplete | GitRefusal::TooSlow))
    }
}

//! Large files of projects (Git LFS): what clients ask for over HTTP, and the tokens that they get over SSH.

mod access;
mod batch;
pub(crate) mod collect;
mod lock;
mod object;
mod refusal;
mod span;
mod token;

pub use access::{LfsOperation, LfsRequest};
pub use batch::{Batch, BatchEntry, BatchObject, MOST_OBJECTS, batch};
pub use lock::{LockPage, MOST_LOCKS, VerifiedLocks, lock, locks, unlock, verify};
pub use object::{LfsDownload, download, upload};
pub use refusal::LfsRefusal;
pub use span::Span;
pub use tenon_storage::lfs::LockFilter;
pub use token::{LfsGrant, authenticate};

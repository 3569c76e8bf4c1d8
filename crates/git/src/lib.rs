//! The Git engine: where repositories lie, what is in them, how they change and how they are served.
//!
//! Everything is done by the `git` command line behind one builder (`command`): it is the only implementation that is
//! complete, durable and the same as what clients run. Only refs are read without it (`refs`), and what a commit fixes for
//! ever is remembered (`remembered`). Functions block, but for
//! [`transport`], whose streams belong to a request. What is missing is `None`, what is refused is a typed
//! [`write::Refusal`], what is broken is a [`GitError`]; none of them carries what Git printed, except in a field for the log.

pub mod archive;
pub mod blame;
pub mod blob;
pub mod branch;
pub mod cancel;
mod command;
pub mod commit;
pub mod compare;
mod config;
pub mod contributor;
pub mod diff;
pub mod engine;
mod error;
pub mod hook;
pub mod language;
pub mod license;
pub mod maintenance;
pub mod merge;
pub mod name;
mod objects;
pub mod oid;
mod patch_id;
pub mod push;
pub mod quarantine;
mod refs;
mod remembered;
mod repository;
pub mod revision;
pub mod search;
pub mod signature;
pub mod store;
pub mod tag;
pub mod transport;
pub mod tree;
pub mod tree_path;
pub mod write;

pub use cancel::{CancelOnDrop, CancelToken};
pub use command::stream::GitStream;
pub use engine::{Engine, EngineSettings};
pub use error::{GitError, Log};
pub use name::{BranchName, RefName, TagName};
pub use oid::Oid;
pub use repository::Repository;
pub use revision::{Resolved, Revision};
pub use signature::Signature;
pub use store::Store;
pub use tree_path::{LookupPath, TreePath};

//! The Git engine: the places of repositories, their content, their changes, and the service for clients.
//!
//! Everything is done by the `git` command line behind one builder: it is the only implementation that is complete,
//! durable and the same as that of clients. Only refs and the graph of commits are read without it. Answers that a
//! commit fixes for ever are remembered, and processes that read objects are kept for the next question. Functions
//! block; only the streams of [`transport`], which belong to a request, do not. A missing object is `None`, a refused
//! change is a typed [`write::Refusal`], and a broken repository is a [`GitError`]. None of them carries output of Git,
//! except in a field for the log.
//!
//! An [`Engine`] is a way to start Git with a configuration of its own, and nothing of the machine's. A [`Store`] is a
//! directory of repositories, and a [`Repository`] has all reading and writing functions. Names, paths and revisions
//! are parsed first ([`BranchName`], [`TreePath`], [`Revision`]), so that none can be taken for an option or lead
//! elsewhere. Permission is not asked here.
//!
//! ```
//! use tenon_domain::id::ProjectId;
//! use tenon_git::merge::{MergeMethod, MergeRequest};
//! use tenon_git::write::actions::{Action, CommitRequest};
//! use tenon_git::{BranchName, Engine, EngineSettings, LookupPath, Revision, Signature, Store, TreePath};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Open.
//! let folder = tempfile::tempdir()?;
//! let engine = Engine::open(&EngineSettings::new(folder.path().join("engine")))?;
//! let store = Store::open(engine, &folder.path().join("repositories"))?;
//! let repository = store.repository(ProjectId::new(1));
//! let main = BranchName::parse("main")?;
//! store.create(&repository, &main)?;
//!
//! // Commit, twice.
//! let ada = Signature::new("Ada", "ada@example.org", "2026-03-02T12:00:00Z".parse()?);
//! let commit = |branch: &BranchName, start, path: &str, content: &str| {
//!     repository.commit_actions(&CommitRequest {
//!         branch: branch.clone(),
//!         tip: None,
//!         start,
//!         author: ada.clone(),
//!         committer: ada.clone(),
//!         message: format!("Add {path}"),
//!         actions: vec![Action::Create {
//!             path: TreePath::parse(path).expect("a path"),
//!             content: content.into(),
//!             executable: false,
//!         }],
//!     })
//! };
//! let first = commit(&main, None, "README", "An engine.")?;
//! let topic = commit(&BranchName::parse("topic")?, Some(first), "CRANK", "Turn it.")?;
//!
//! // Merge.
//! let accepted = repository.merge(&MergeRequest {
//!     target: main.clone(),
//!     target_tip: first,
//!     source: topic,
//!     method: MergeMethod::Merge,
//!     squash: None,
//!     author: ada.clone(),
//!     committer: ada.clone(),
//!     message: "Merge branch 'topic'".to_owned(),
//! })?;
//!
//! // Read a file of the branch, of at most 1 MiB.
//! let path = LookupPath::parse("CRANK").expect("a path");
//! let resolved = repository.resolve(&Revision::parse("main")?)?.expect("the branch");
//! assert_eq!(resolved.commit, accepted.tip);
//! let (_, blob) = repository.file_at(resolved.commit, &path, 1 << 20)?.expect("the file");
//! assert_eq!(blob.content.as_deref(), Some(&b"Turn it."[..]));
//! # Ok(())
//! # }
//! ```

pub mod archive;
pub mod backup;
pub mod blame;
pub mod blob;
pub mod branch;
pub mod cancel;
mod command;
pub mod commit;
pub mod compare;
mod config;
pub mod contributor;
mod crash_report;
pub mod diff;
pub mod engine;
mod error;
mod history;
pub mod hook;
pub mod language;
pub mod license;
pub mod maintenance;
pub mod merge;
mod mode;
pub mod name;
mod numstat;
mod objects;
pub mod oid;
mod patch_id;
pub mod pkt_line;
mod program;
pub mod push;
pub mod quarantine;
mod refs;
mod remembered;
pub mod remote_archive;
mod repository;
pub mod revision;
pub mod search;
pub mod signature;
mod soundness;
pub mod store;
mod stored_tree;
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
pub use revision::{RefKind, Resolved, ResolvedKind, Revision, RevisionRange};
pub use signature::Signature;
pub use soundness::{Depth, Soundness};
pub use store::{RepositoryKind, Store};
pub use tree_path::{LookupPath, TreePath};

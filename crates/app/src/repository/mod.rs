//! Repositories (reference: repository-git-webhooks, sections 1 to 13).

mod access;
mod branch;
mod code;
mod commit;
mod exchange;
mod hooks;
mod judge;
mod protection;
mod pushes;
mod received;
mod refresh;
mod store;
mod tag;
mod tree;

pub use access::{GitCredential, GitRefusal, OpenRepository};
pub use branch::{BranchOrder, BranchView, ListBranches, branch, branches};
pub use commit::{
    CommitDetail, CommitView, ContainingRef, ListCommits, Person, PipelineRef, commit, commits, refs_with,
};
pub(crate) use exchange::Exchanges;
pub use exchange::{ByteStream, GitRequest, advertise, exchange};
pub use hooks::{answer_hooks, hook_of, run_hook};
pub use protection::{NewProtection, list_protections, protect, protection, unprotect};
pub(crate) use pushes::Pushes;
pub use pushes::Running;
pub use received::PushData;
pub use refresh::refresh;
pub use store::Repositories;
pub use tag::{ListTags, TagView, tag, tags};
pub use tenon_storage::repository::Release;
pub use tree::{EntryView, FileView, ListTree, blob, file, tree};

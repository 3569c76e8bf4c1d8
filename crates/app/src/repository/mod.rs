//! Repositories (reference: repository-git-webhooks, sections 1 to 13).

mod access;
mod archive;
mod archive_cache;
mod branch;
mod change_refs;
mod code;
mod comment;
mod commit;
mod difference;
mod exchange;
mod file;
mod fill;
mod first_commit;
mod gunzip;
mod hooks;
mod inspect;
mod judge;
mod languages;
mod maintain;
mod messages;
mod permits;
mod protection;
mod pushed_project;
mod pushes;
mod quota;
mod rate;
mod receive;
mod received;
mod reconcile;
mod refresh;
mod replay;
mod store;
mod tag;
mod told;
mod tree;
mod write_commit;
mod writing;

pub use access::{GitCredential, GitRefusal, OpenRepository};
pub use archive::{ArchiveView, archive};
pub(crate) use archive::{SweepArchives, stream_of};
pub use branch::{BranchOrder, BranchView, ListBranches, branch, branches};
pub(crate) use change_refs::TagCreation;
pub use change_refs::{
    NewBranch, NewTag, ProtectBranch, create_branch, create_tag, delete_branch, delete_merged, delete_tag,
    protect_branch, unprotect_branch,
};
pub(crate) use code::Code;
pub use comment::{CommentView, CommentedLine, NewComment, comment, comments};
pub use commit::{
    CommitDetail, CommitView, ContainingRef, ListCommits, Person, PipelineRef, commit, commits, refs_with,
};
pub use difference::{
    BlameView, ComparisonView, ContributorOrder, ContributorView, FileDifference, blame, commit_diff, compare,
    contributors, merge_base,
};
pub use exchange::FilePermit;
pub use exchange::{ByteStream, ContentEncoding, GitRequest, advertise, exchange};
pub(crate) use exchange::{Exchanges, download};
pub use file::{Content, FileView, LargeBlob, blob, file};
pub(crate) use fill::{FillFork, ImportProject, schedule_import};
pub use fill::{initialise, name_first_branch};
pub use hooks::{answer_hooks, hook_of, run_hook};
pub use inspect::Mending;
pub use languages::languages;
pub(crate) use maintain::{LookAfterRepositories, MaintainRepository, ReconcileRepository};
pub(crate) use messages::ReadMessages;
pub use protection::{AskedLevel, NewProtection, list_protections, protect, protection, unprotect};
pub(crate) use pushes::Pushes;
pub use pushes::Running;
pub(crate) use received::Moved;
pub use received::PushData;
pub(crate) use reconcile::ReconcileRefs;
pub use reconcile::reconcile_all;
pub(crate) use refresh::RefreshRepository;
pub use refresh::refresh;
pub use replay::{Replay, replay};
pub use store::Repositories;
pub use tag::{ListTags, TagView, tag, tags};
pub use tree::{EntryView, ListTree, tree};
pub use write_commit::{FileAction, FileActionKind, NewCommit, UpdateSubmodule, create_commit, update_submodule};
pub(crate) use writing::Writable;

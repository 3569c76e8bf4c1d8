//! Repositories: reading them, writing to them, and keeping the database in step with them.

pub(crate) mod archive;
pub(crate) mod comments;
pub(crate) mod import;
pub(crate) mod maintenance;
pub(crate) mod mirror;
pub(crate) mod pack;
pub(crate) mod read;
pub(crate) mod refresh;
pub(crate) mod refs;
pub(crate) mod stream;
pub(crate) mod write;

pub use self::comments::{
    CommentView, CommentedLine, NewComment, ShownComment, comment, comments, page_of_comment, shown_comments,
};
pub use self::maintenance::inspect::Mending;
pub use self::maintenance::reconcile::reconcile_all;
pub use self::read::branch::{
    BranchAges, BranchOrder, BranchView, BranchesPage, ListBranches, TipAge, branch, branches, branches_of,
    branches_page,
};
pub use self::read::browse::{
    Address, Browsed, CommitPage, DirectoryEntry, DirectoryLog, DirectoryPage, FilePage, Located, NamedCommit, RawFile,
    Readme, RefKind, RefNames, WhiteSpace, commit_page, directory, directory_log, file_page, raw_file,
};
pub use self::read::code_owners::{PathOwners, SectionOwners};
pub use self::read::commit::{
    CommitDetail, CommitListing, CommitOrder, CommitView, ContainingRef, ListCommits, Person, PipelineRef, commit,
    commits, refs_with,
};
pub use self::read::context::Code;
pub use self::read::counted::CountedPage;
pub use self::read::difference::{
    BlameView, ComparisonView, ContributorOrder, ContributorView, FileDifference, PatchFormat, blame, commit_diff,
    commit_patch, compare, contributors, merge_base,
};
pub use self::read::file::{Content, FileView, LargeBlob, blob, file};
pub use self::read::graph::{GraphPage, GraphRow, GraphScope, LONGEST_GRAPH, graph};
pub use self::read::history::{HistoryFilter, HistoryPage, history};
pub use self::read::lanes::Lanes;
pub use self::read::languages::languages;
pub use self::read::lfs_object::{LfsObject, lfs_object};
pub use self::read::sidebar::{FileTree, TreeLevel};
pub use self::read::sides::{FileColours, SideFile, Sides};
pub use self::read::signature::{CommitSignature, GpgCommitSignature, commit_signature, commit_signature_of};
pub use self::read::study::{
    BLAME_LINES, BlamePage, BlamedLines, ComparisonPage, FileNames, FoundRefs, blame_page, comparison_page,
    file_difference, file_names, is_there, known_revisions, ref_names, refs_named,
};
pub use self::read::tag::{ListTags, TagView, tag, tags, tags_of};
pub use self::read::tree::{EntryView, ListTree, tree};
pub use self::refs::access_entries::{AccessChange, AccessEntryView, EntryChange, ProtectionView};
pub use self::refs::protection::{
    EditProtection, NewProtection, edit_protection, list_protections, protect, protection, unprotect,
};
pub use self::refs::push_events::PushData;
pub use self::stream::ByteStream;
pub use self::write::change_refs::{
    NewBranch, NewTag, ProtectBranch, create_branch, create_tag, delete_branch, delete_merged, delete_tag,
    protect_branch, unprotect_branch,
};
pub use self::write::commit_files::{
    CommitPlace, FileAction, FileActionKind, NewCommit, Unchanged, UpdateSubmodule, commit_at, create_commit,
    has_files, update_submodule,
};
pub use self::write::replay::{Replay, ReplayOnto, replay};
pub use self::write::upload_files::{MOST_FILES, UploadFiles, check_upload, upload_files};
pub use crate::core::app::FilePermit;
pub use crate::core::repositories::Repositories;
pub use archive::{ArchiveView, archive};
pub use tenon_git::Depth;
pub use tenon_git::commit::Divergence;

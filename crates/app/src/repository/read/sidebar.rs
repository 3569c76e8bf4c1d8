//! The tree of files beside a directory or file.

use tenon_domain::file_path::FilePath;
use tenon_git::tree::{Depth, TreeEntry};
use tenon_git::{GitError, LookupPath, Oid};

use crate::core::error::AppError;
use crate::repository::read::context::RepositoryContext;
use crate::repository::read::tree::EntryView;

/// Entries of one directory that the tree shows.
const ENTRIES: usize = 200;
/// Directories of a path that the tree opens.
const LEVELS: usize = 12;

/// The directories that contain what a page is about, from the top, each with its entries.
#[derive(Debug, Clone, Default)]
pub struct FileTree {
    /// The opened directories, the top one first.
    pub levels: Vec<TreeLevel>,
}

/// An opened directory of a tree.
#[derive(Debug, Clone)]
pub struct TreeLevel {
    /// Its path; empty at the top.
    pub path: FilePath,
    /// Its entries: directories, then files, then submodules.
    pub entries: Vec<EntryView>,
    /// The number of entries that are left out.
    pub left_out: usize,
}

/// The tree beside what is at `path`: the directories that contain it. Empty at the top. Only these directories are
/// read, and they are remembered.
pub(super) fn file_tree(
    code: &RepositoryContext,
    commit: Oid,
    path: Option<&LookupPath>,
) -> Result<FileTree, AppError> {
    let Some(path) = path else { return Ok(FileTree::default()) };
    let kept = path.as_kept();
    let starts = std::iter::once(0).chain(kept.match_indices('/').map(|(at, _)| at + 1));
    let mut levels = Vec::new();
    for start in starts.take(LEVELS) {
        let (folder, rest) = kept.split_at_checked(start).unwrap_or_default();
        let folder = LookupPath::parse(folder);
        let found = match code.repository.tree_entries(commit, folder.as_ref(), Depth::One) {
            // A directory that is too large to be remembered is not read for a tree.
            Err(GitError::TooLarge(_)) => break,
            found => found?,
        };
        let Some(entries) = &*found else { break };
        levels.push(level(folder.as_ref(), entries, rest.split('/').next().unwrap_or_default()));
    }
    Ok(FileTree { levels })
}

/// The first entries of a directory, and the one of the path.
fn level(folder: Option<&LookupPath>, entries: &[TreeEntry], present: &str) -> TreeLevel {
    let mut sorted: Vec<&TreeEntry> = entries.iter().collect();
    sorted.sort_by(|one, other| one.kind.cmp(&other.kind).then_with(|| one.path.cmp(&other.path)));
    let is_kept = |(place, entry): &(usize, &TreeEntry)| *place < ENTRIES || entry.kept_name() == present;
    let kept: Vec<EntryView> =
        sorted.iter().copied().enumerate().filter(is_kept).map(|(_, entry)| entry.clone().into()).collect();
    TreeLevel {
        path: folder.map(|folder| folder.file().clone()).unwrap_or_default(),
        left_out: entries.len().saturating_sub(kept.len()),
        entries: kept,
    }
}

//! From slugs to the files of pages.

use tenon_domain::wiki::{MOST_PARTS, PageName, dashed, is_same_name};
use tenon_git::tree::{Depth, EntryKind, TreeEntry};
use tenon_git::{GitError, LookupPath, Oid, Repository};

/// The file of a page.
#[derive(Debug, Clone)]
pub(super) struct PageFile {
    pub(super) name: PageName,
    pub(super) path: LookupPath,
    pub(super) id: Oid,
}

impl PageFile {
    /// The page in a file; `None` if the file is none, such as a symbolic link.
    pub(super) fn of(entry: &TreeEntry) -> Option<Self> {
        let is_file = entry.kind == EntryKind::Blob && !entry.is_link();
        let name = PageName::of_path(&entry.path.to_string()).filter(|_| is_file)?;
        Some(Self { name, path: LookupPath::try_from(&entry.path).ok()?, id: entry.id })
    }
}

/// The page of a slug in a commit: blanks and dashes are the same. If no page of the folder has its letter case, it is the first
/// one in another case.
pub(super) fn find(repository: &Repository, commit: Oid, slug: &str) -> Result<Option<PageFile>, GitError> {
    let parts: Vec<&str> = slug.split('/').collect();
    let Some((wanted, folders)) = parts.split_last().filter(|_| parts.len() <= MOST_PARTS) else { return Ok(None) };
    let mut folder: Option<LookupPath> = None;
    for wanted in folders {
        let entries = repository.tree_entries(commit, folder.as_ref(), Depth::One)?;
        let named = |entry: &&TreeEntry| entry.kind == EntryKind::Tree && is_same_name(entry.kept_name(), wanted);
        let found = entries.iter().flatten().find(named).and_then(|entry| LookupPath::try_from(&entry.path).ok());
        let Some(found) = found else { return Ok(None) };
        folder = Some(found);
    }
    let entries = repository.tree_entries(commit, folder.as_ref(), Depth::One)?;
    let pages: Vec<PageFile> = entries.iter().flatten().filter_map(PageFile::of).collect();
    let wanted = dashed(wanted);
    let of = |page: &PageFile| page.name.slug.rsplit('/').next().unwrap_or_default().to_owned();
    let exact = pages.iter().find(|page| of(page) == wanted);
    let in_any_case = || {
        let wanted = wanted.to_lowercase();
        pages.iter().find(|page| of(page).to_lowercase() == wanted)
    };
    Ok(exact.or_else(in_any_case).cloned())
}

/// All pages of a commit, by path. Fails with [`GitError::TooLarge`] if there are too many files.
pub(super) fn all(repository: &Repository, commit: Oid) -> Result<Vec<PageFile>, GitError> {
    let entries = repository.tree_entries(commit, None, Depth::All)?;
    Ok(entries.iter().flatten().filter_map(PageFile::of).collect())
}

//! Directories.

use tenon_domain::file_path::FilePath;
use tenon_domain::page::{Page, PageRequest};
use tenon_git::LookupPath;
use tenon_git::tree::{Depth, EntryKind, TreeEntry};

use crate::core::app::App;
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::reference::Reference;

/// An entry of a directory.
#[derive(Debug, Clone)]
pub struct EntryView {
    /// The object.
    pub id: String,
    /// The last component of the path.
    pub name: FilePath,
    /// `tree`, `blob` or `commit`.
    pub kind: &'static str,
    /// From the top of the repository.
    pub path: FilePath,
    /// Six octal digits.
    pub mode: String,
}

impl From<TreeEntry> for EntryView {
    fn from(entry: TreeEntry) -> Self {
        Self {
            id: entry.id.to_string(),
            name: entry.path.name(),
            kind: match entry.kind {
                EntryKind::Tree => "tree",
                EntryKind::Blob => "blob",
                EntryKind::Commit => "commit",
            },
            path: entry.path,
            mode: entry.mode,
        }
    }
}

/// A request for a directory.
#[derive(Debug, Clone, Default)]
pub struct ListTree {
    /// A branch, tag or commit; the default branch if absent.
    pub revision: Option<String>,
    /// The directory, in its kept form; the top if absent.
    pub path: Option<String>,
    /// With everything below.
    pub recursive: bool,
    /// Which page.
    pub page: PageRequest,
}

/// The entries of a directory. Of one that is not there, nothing; of an unknown branch, 404.
pub async fn tree(
    app: &App,
    identity: &Identity,
    project: Reference,
    request: ListTree,
) -> Result<Page<EntryView>, AppError> {
    let code = app.readable(identity, project).await?;
    let recursive = request.recursive;
    let work = move || {
        let commit = code.commit_or(request.revision.as_deref(), Missing::Tree)?;
        let nothing = Page::empty(request.page);
        let path = match request.path.as_deref().map(|path| path.trim_matches('/')).filter(|path| !path.is_empty()) {
            None => None,
            Some(path) => match LookupPath::parse(path) {
                Some(path) => Some(code.repository.exact_path(commit, path)?),
                None => return Ok(nothing),
            },
        };
        let depth = if request.recursive { Depth::All } else { Depth::One };
        let found = code.repository.tree(commit, path.as_ref(), depth, request.page)?;
        Ok(found.map_or(nothing, |page| page.map(Into::into)))
    };
    if recursive { app.on_git_long(work).await } else { app.read_git(work).await }
}

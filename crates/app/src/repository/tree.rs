//! Directories and files (reference: repository-git-webhooks, sections 12 and 13).

use tenon_domain::page::{Page, PageRequest};
use tenon_git::tree::{Depth, EntryKind, TreeEntry};
use tenon_git::{LookupPath, Oid};

use crate::access::Reference;
use crate::app::App;
use crate::error::{AppError, Missing};
use crate::identity::Identity;

/// An entry of a directory.
#[derive(Debug, Clone)]
pub struct EntryView {
    /// The object.
    pub id: String,
    /// The last component of the path.
    pub name: String,
    /// `tree`, `blob` or `commit`.
    pub kind: &'static str,
    /// From the top of the repository.
    pub path: String,
    /// Six octal digits.
    pub mode: String,
}

impl From<TreeEntry> for EntryView {
    fn from(entry: TreeEntry) -> Self {
        Self {
            id: entry.id.to_string(),
            name: entry.name().to_owned(),
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
    /// A branch, tag or commit; the default branch where absent.
    pub revision: Option<String>,
    /// The directory; the top where absent.
    pub path: Option<String>,
    /// With everything below.
    pub recursive: bool,
    /// Which page.
    pub page: PageRequest,
}

/// What lies in a directory. Of one that is not there, nothing; of an unknown branch, 404.
pub async fn tree(
    app: &App,
    identity: &Identity,
    project: Reference,
    request: ListTree,
) -> Result<Page<EntryView>, AppError> {
    let code = app.readable(identity, project).await?;
    app.on_git(move || {
        let commit = code.commit_or(request.revision.as_deref(), "Tree")?;
        let nothing = Page { items: Vec::new(), total: 0, request: request.page };
        let path = match request.path.as_deref().map(|path| path.trim_matches('/')).filter(|path| !path.is_empty()) {
            None => None,
            Some(path) => match LookupPath::parse(path) {
                Some(path) => Some(path),
                None => return Ok(nothing),
            },
        };
        let depth = if request.recursive { Depth::All } else { Depth::One };
        let found = code.repository.tree(commit, path.as_ref(), depth, request.page)?;
        Ok(found.map_or(nothing, |page| page.map(Into::into)))
    })
    .await
}

/// The largest file that an answer holds wholly, in bytes.
const MAX_FILE: u64 = 100 * 1024 * 1024;

/// A file with its content.
#[derive(Debug, Clone)]
pub struct FileView {
    /// The last component of the path.
    pub name: String,
    /// From the top of the repository.
    pub path: String,
    /// The bytes.
    pub content: Vec<u8>,
    /// The blob.
    pub blob_id: String,
    /// The commit that was asked about.
    pub commit_id: String,
    /// The last one that changed the file.
    pub last_commit_id: String,
    /// Whether it may be executed.
    pub executable: bool,
}

/// A file as it is in a branch, tag or commit.
pub async fn file(
    app: &App,
    identity: &Identity,
    project: Reference,
    path: String,
    revision: String,
) -> Result<FileView, AppError> {
    let code = app.readable(identity, project).await?;
    app.on_git(move || {
        let commit = code.commit_or(Some(&revision), "Commit")?;
        let missing = || AppError::NotFound(Missing::Named("File"));
        let path = LookupPath::parse(&path).ok_or_else(missing)?;
        let entry = code.repository.tree_entry(commit, &path)?.ok_or_else(missing)?;
        let blob = code.repository.blob_at(commit, &path, MAX_FILE)?.ok_or_else(missing)?;
        let last = code.repository.last_commit_for(commit, &path)?;
        Ok(FileView {
            name: entry.name().to_owned(),
            path: path.as_str().to_owned(),
            content: blob.content.ok_or(AppError::TooLarge)?,
            blob_id: blob.id.to_string(),
            commit_id: commit.to_string(),
            last_commit_id: last.map_or_else(|| commit.to_string(), |commit| commit.id.to_string()),
            executable: entry.mode == "100755",
        })
    })
    .await
}

/// A blob by its name: its bytes.
pub async fn blob(app: &App, identity: &Identity, project: Reference, id: String) -> Result<Vec<u8>, AppError> {
    let code = app.readable(identity, project).await?;
    let missing = || AppError::NotFound(Missing::Named("Blob"));
    let id: Oid = id.parse().map_err(|_invalid| missing())?;
    app.on_git(move || {
        if !code.repository.exists() {
            return Err(missing());
        }
        let blob = code.repository.blob(id, MAX_FILE)?.ok_or_else(missing)?;
        blob.content.ok_or(AppError::TooLarge)
    })
    .await
}

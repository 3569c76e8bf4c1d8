//! Templates of descriptions: Markdown files in a folder of the project's repository.

use tenon_domain::issuable::MAX_TEXT;
use tenon_domain::page::{Page, PageRequest};
use tenon_git::tree::{Depth, EntryKind};
use tenon_git::{LookupPath, Oid};

use crate::core::app::App;
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::read::context::RepositoryContext;

const EXTENSION: &str = ".md";

/// The kind of the described thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DescriptionKind {
    /// An issue.
    Issue,
    /// A merge request.
    MergeRequest,
}

impl DescriptionKind {
    /// The folder of its templates, from the top of the repository.
    const fn folder(self) -> &'static str {
        match self {
            Self::Issue => ".gitlab/issue_templates",
            Self::MergeRequest => ".gitlab/merge_request_templates",
        }
    }
}

/// The keys of the templates in the default branch of a project: names of files without `.md`, in the order of the
/// directory. Of a project without commits or templates, none.
///
/// # Errors
/// [`AppError::NotFound`] if the caller may not see the project, [`AppError::Forbidden`] if not its code.
pub async fn descriptions(
    app: &App,
    identity: &Identity,
    project: Reference,
    kind: DescriptionKind,
    page: PageRequest,
) -> Result<Page<String>, AppError> {
    let code = app.readable(identity, project).await?;
    let keys = app.read_git(move || match code.commit_named(None)? {
        Some(commit) => keys(&code, commit, kind),
        None => Ok(Vec::new()),
    });
    Ok(Page::cut(keys.await?, page))
}

fn keys(code: &RepositoryContext, commit: Oid, kind: DescriptionKind) -> Result<Vec<String>, AppError> {
    let Some(folder) = LookupPath::parse(kind.folder()) else { return Ok(Vec::new()) };
    let entries = code.repository.tree_entries(commit, Some(&folder), Depth::One)?;
    let files = entries.iter().flatten().filter(|entry| entry.kind == EntryKind::Blob);
    Ok(files.filter_map(|entry| Some(entry.path.name().to_string().strip_suffix(EXTENSION)?.to_owned())).collect())
}

/// The text of one template.
///
/// # Errors
/// As [`descriptions`]; [`AppError::NotFound`] if there is no such file, [`AppError::TooLarge`] if it is longer than a
/// description may be.
pub async fn description(
    app: &App,
    identity: &Identity,
    project: Reference,
    kind: DescriptionKind,
    key: &str,
) -> Result<String, AppError> {
    let code = app.readable(identity, project).await?;
    let missing = || AppError::NotFound(Missing::Template);
    // A key names a file of this folder only.
    let path = (!key.contains('/')).then(|| format!("{}/{key}{EXTENSION}", kind.folder()));
    let path = path.as_deref().and_then(LookupPath::parse).ok_or_else(missing)?;
    // A longer text is no description.
    let largest = u64::try_from(MAX_TEXT).unwrap_or(u64::MAX);
    app.read_git(move || {
        let commit = code.commit_named(None)?.ok_or_else(missing)?;
        let (_, blob) = code.repository.file_at(commit, &path, largest)?.ok_or_else(missing)?;
        let content = blob.content.ok_or(AppError::TooLarge)?;
        Ok(String::from_utf8_lossy(&content).into_owned())
    })
    .await
}

//! Reading pages.

use tenon_domain::page::{Page, PageRequest};
use tenon_domain::refusal::WikiRefusal;
use tenon_domain::wiki::{PageName, SIDEBAR, WikiFormat};
use tenon_git::commit::{CommitQuery, CommitRange};
use tenon_git::{GitError, LookupPath, Oid, Repository, Revision};

use super::pages::{PageFile, all, find};
use super::place::{Wiki, WikiRights};
use crate::core::app::App;
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::CommitView;

/// Bytes of the longest page that is read.
pub(super) const LONGEST_READ: u64 = 16 << 20;
/// Bytes of the longest page that is shown beside others.
const LONGEST_SIDEBAR: usize = 256 << 10;
/// The most pages of a list.
const MOST_PAGES: usize = 10_000;
/// Bytes that the contents of all pages may have if a list has them.
const LONGEST_CONTENTS: u64 = 16 << 20;

/// A page of a wiki.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageView {
    /// Its folder and name.
    pub slug: String,
    /// Its name, with blanks.
    pub title: String,
    /// Its markup.
    pub format: WikiFormat,
    /// Its text; `None` if it was not asked for.
    pub content: Option<String>,
}

impl PageView {
    pub(super) fn new(name: PageName, content: Option<String>) -> Self {
        Self { title: name.title(), slug: name.slug, format: name.format, content }
    }
}

/// A request for a page.
#[derive(Debug, Clone, Default)]
pub struct ShowPage {
    /// Its slug.
    pub slug: String,
    /// A commit of the wiki; the newest if absent.
    pub version: Option<String>,
}

/// The pages of a wiki, by path, without their texts.
///
/// # Errors
/// [`WikiRefusal::TooManyFiles`] if the wiki is too large for a list.
pub async fn list(app: &App, identity: &Identity, project: Reference) -> Result<Vec<PageView>, AppError> {
    let wiki = app.readable_wiki(identity, project).await?;
    app.on_git_long(move || Ok(files(&wiki)?.into_iter().map(|file| PageView::new(file.name, None)).collect())).await
}

/// As [`list`], with their texts.
///
/// # Errors
/// [`WikiRefusal::ContentsTooLong`] if these have more than 16 MiB together.
pub async fn contents(app: &App, identity: &Identity, project: Reference) -> Result<Vec<PageView>, AppError> {
    let wiki = app.readable_wiki(identity, project).await?;
    app.on_git_long(move || {
        let mut room = LONGEST_CONTENTS;
        let mut pages = Vec::new();
        for file in files(&wiki)? {
            let read = wiki.repository.blob(file.id, room)?.and_then(|blob| blob.content);
            let bytes = read.ok_or(WikiRefusal::ContentsTooLong(LONGEST_CONTENTS))?;
            room = room.saturating_sub(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
            pages.push(PageView::new(file.name, Some(text_of(&bytes))));
        }
        Ok(pages)
    })
    .await
}

/// The files of all pages. A list of them has a bound.
fn files(wiki: &Wiki) -> Result<Vec<PageFile>, AppError> {
    let Some((_, tip)) = wiki.head()? else { return Ok(Vec::new()) };
    match all(&wiki.repository, tip) {
        Ok(pages) if pages.len() <= MOST_PAGES => Ok(pages),
        Ok(_) | Err(GitError::TooLarge(_)) => Err(WikiRefusal::TooManyFiles(MOST_PAGES).into()),
        Err(error) => Err(error.into()),
    }
}

/// One page, as it is or was.
///
/// # Errors
/// [`WikiRefusal::PageTooLong`] above 16 MiB.
pub async fn show(app: &App, identity: &Identity, project: Reference, of: ShowPage) -> Result<PageView, AppError> {
    let wiki = app.readable_wiki(identity, project).await?;
    app.read_git(move || {
        let (commit, file) = found(&wiki, &of)?;
        read(&wiki.repository, commit, file)
    })
    .await
}

/// The file of a page, and the commit that has it.
fn found(wiki: &Wiki, of: &ShowPage) -> Result<(Oid, PageFile), AppError> {
    let missing = || AppError::NotFound(Missing::WikiPage);
    let (_, tip) = wiki.head()?.ok_or_else(missing)?;
    let commit = match of.version.as_deref().filter(|version| !version.is_empty()) {
        None => tip,
        Some(version) => {
            let revision = Revision::parse(version).map_err(|_invalid| missing())?;
            wiki.repository.resolve(&revision)?.ok_or_else(missing)?.commit
        }
    };
    Ok((commit, find(&wiki.repository, commit, &of.slug)?.ok_or_else(missing)?))
}

/// A page with its text.
pub(super) fn read(repository: &Repository, commit: Oid, file: PageFile) -> Result<PageView, AppError> {
    let content = content_of(repository, commit, &file.path)?;
    Ok(PageView::new(file.name, Some(content)))
}

/// The text in a file.
pub(super) fn content_of(repository: &Repository, commit: Oid, path: &LookupPath) -> Result<String, AppError> {
    let (_, blob) = repository.file_at(commit, path, LONGEST_READ)?.ok_or(AppError::NotFound(Missing::WikiPage))?;
    let bytes = blob.content.ok_or(WikiRefusal::PageTooLong(LONGEST_READ))?;
    Ok(text_of(&bytes))
}

/// Bytes as a text: what is no UTF-8 becomes U+FFFD.
fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A page for the pages of the server.
#[derive(Debug, Clone)]
pub struct WikiPage {
    /// The page; `None` if there is none of this slug.
    pub page: Option<PageView>,
    /// The last commit that changed it. It has no page of its own.
    pub last: Option<CommitView>,
    /// The page that is shown beside it.
    pub sidebar: Option<PageView>,
    /// The rights of the caller.
    pub rights: WikiRights,
}

/// One page with what is shown around it. A page that is not there is no failure, so that it can be made.
///
/// # Errors
/// As [`show`].
pub async fn page(app: &App, identity: &Identity, project: Reference, of: ShowPage) -> Result<WikiPage, AppError> {
    let wiki = app.readable_wiki(identity, project).await?;
    app.read_git(move || {
        let mut shown = WikiPage { page: None, last: None, sidebar: None, rights: wiki.rights };
        match found(&wiki, &of) {
            Ok((commit, file)) => {
                if let Some(last) = wiki.repository.last_commit_id(commit, &file.path)? {
                    shown.last = wiki.repository.commit(last)?.map(|commit| CommitView::new(commit, ""));
                }
                shown.page = Some(read(&wiki.repository, commit, file)?);
            }
            Err(AppError::NotFound(Missing::WikiPage)) => {}
            Err(error) => return Err(error),
        }
        if let Some((_, tip)) = wiki.head()?
            && let Some(file) = find(&wiki.repository, tip, SIDEBAR)?
        {
            // One that is too long is left out.
            let sidebar = read(&wiki.repository, tip, file).ok();
            let fits = |page: &PageView| page.content.as_ref().is_none_or(|text| text.len() <= LONGEST_SIDEBAR);
            shown.sidebar = sidebar.filter(fits);
        }
        Ok(shown)
    })
    .await
}

/// The history of a page.
#[derive(Debug, Clone)]
pub struct WikiHistory {
    /// The page as it is.
    pub page: PageView,
    /// The commits that changed its file, the newest first.
    pub commits: Page<CommitView>,
}

/// The commits that changed the file of a page, as far as it had its present name.
pub async fn history(
    app: &App,
    identity: &Identity,
    project: Reference,
    slug: String,
    page: PageRequest,
) -> Result<WikiHistory, AppError> {
    let wiki = app.readable_wiki(identity, project).await?;
    app.on_git_long(move || {
        let (commit, file) = found(&wiki, &ShowPage { slug, version: None })?;
        let query = CommitQuery { path: Some(file.path), ..CommitQuery::new(CommitRange::From(commit)) };
        let commits = wiki.repository.counted_commits(&query, page)?;
        let commits = commits.map(|commit| CommitView::new(commit, ""));
        Ok(WikiHistory { page: PageView::new(file.name, None), commits })
    })
    .await
}

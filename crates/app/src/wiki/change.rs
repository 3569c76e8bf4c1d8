//! Making, changing and removing pages. Each change is one commit of the caller.

use tenon_domain::field_errors::FieldErrors;
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::{Refusal as AppRefusal, RepositoryRefusal, WikiRefusal};
use tenon_domain::wiki::{MOST_PARTS, PageName, WikiFormat, renamed_slug, slug_of_title};
use tenon_git::write::actions::{Action, CommitRequest};
use tenon_git::write::{Refusal, WriteError};
use tenon_git::{BranchName, Oid, Repository, RepositoryKind, TreePath};

use super::page::{LONGEST_READ, PageView, content_of};
use super::pages::{PageFile, find};
use super::place::WritableWiki;
use super::record::PageChange;
use crate::core::app::App;
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::refs::ref_write::{at_the_head, refused};

/// A new page.
#[derive(Debug, Clone)]
pub struct NewPage {
    /// Its title. Slashes separate folders.
    pub title: String,
    /// Its text.
    pub content: String,
    /// Its markup.
    pub format: WikiFormat,
    /// The message of the commit; one that says what is done if absent.
    pub message: Option<String>,
}

/// Changes of a page; `None` leaves a part as it is.
#[derive(Debug, Clone, Default)]
pub struct ChangePage {
    /// Its title. It stays in its folder unless there is a slash.
    pub title: Option<String>,
    /// Its text.
    pub content: Option<String>,
    /// Its markup.
    pub format: Option<WikiFormat>,
    /// The message of the commit.
    pub message: Option<String>,
    /// The last commit that changed the page, as the caller has seen it.
    pub last_commit: Option<String>,
}

/// Makes a page.
///
/// # Errors
/// [`AppError::Invalid`] for a title that is taken or names no file, for no text and for one that is too long; those of a caller
/// who may not write the wiki.
pub async fn create(
    app: &App,
    identity: &Identity,
    project: Reference,
    request: NewPage,
) -> Result<PageView, AppError> {
    let writable = app.writable_wiki(identity, project, ProjectAction::WriteWiki).await?;
    let slug = slug_of_title(&request.title);
    check(app, Some((&request.title, &slug)), Some(&request.content))?;
    let NewPage { content, format, message, .. } = request;
    let this = app.clone();
    app.on_git(move || {
        let path = path_of(&slug, format.extension())?;
        let view = PageView::new(PageName { slug: slug.clone(), format }, Some(content.clone()));
        let message = message_of(message, &writable, "created", &view.title);
        let repository = this.repository_of_kind(writable.wiki.project.id, RepositoryKind::Wiki)?;
        at_the_head(|| {
            let head = head_of(&repository)?;
            if let Some(tip) = head.1
                && find(&repository, tip, &slug)?.is_some_and(|found| found.name.slug == slug)
            {
                return Err(duplicate());
            }
            let action =
                Action::Create { path: path.clone(), content: content.clone().into_bytes(), executable: false };
            this.commit_to_wiki(&writable, &repository, head, &message, action)
        })
        .map_err(|error| if is(&error, &RepositoryRefusal::FileExists) { duplicate() } else { error })?;
        this.record(&writable, &repository, &view, (&message, "create"))?;
        Ok(view)
    })
    .await
}

/// Changes a page, and moves it if it gets another title or format. Nothing happens if it is so already.
///
/// # Errors
/// As [`create`]; [`WikiRefusal::TitleTaken`] if another page has the new title, and [`WikiRefusal::Changed`] if the page was
/// changed since the caller has seen it.
pub async fn edit(
    app: &App,
    identity: &Identity,
    project: Reference,
    slug: String,
    request: ChangePage,
) -> Result<PageView, AppError> {
    let writable = app.writable_wiki(identity, project, ProjectAction::WriteWiki).await?;
    let ChangePage { title, content, format, message, last_commit } = request;
    let new_slug = title.as_deref().map(slug_of_title);
    check(app, title.as_deref().zip(new_slug.as_deref()), content.as_deref())?;
    let last_commit = last_commit.filter(|id| !id.is_empty());
    let seen = match &last_commit {
        Some(id) => Some(id.parse::<Oid>().map_err(|_invalid| WikiRefusal::Changed)?),
        None => None,
    };
    let this = app.clone();
    app.on_git(move || {
        let repository = writable.wiki.repository.clone();
        let (view, commit) = at_the_head(|| {
            let (head, tip, file) = changed_page(&repository, &slug)?;
            // The title of a page that was pushed may not be one that leads to its name.
            let is_own = |title: &&str| *title == file.name.title() || *title == file.name.slug;
            let new_slug = title
                .as_deref()
                .filter(|title| !is_own(title))
                .map_or_else(|| file.name.slug.clone(), |title| renamed_slug(&file.name.slug, title));
            let new_format = format.unwrap_or(file.name.format);
            let stays = new_slug == file.name.slug && new_format == file.name.format;
            let text = match &content {
                Some(content) => content.clone(),
                None => content_of(&repository, tip, &file.path)?,
            };
            let name = PageName { slug: new_slug, format: new_format };
            let from = existing(&file)?;
            let bytes = content.clone().map(String::into_bytes);
            let action = match bytes {
                _ if !stays => {
                    let is_other = |found: &PageFile| found.path != file.path;
                    if find(&repository, tip, &name.slug)?
                        .is_some_and(|found| found.name.slug == name.slug && is_other(&found))
                    {
                        return Err(WikiRefusal::TitleTaken.into());
                    }
                    let to = path_of(&name.slug, new_format.extension())?;
                    Some(Action::Move { from, to, content: bytes, last_commit: seen })
                }
                Some(content) => Some(Action::Update { path: from, content, last_commit: seen }),
                None => None,
            };
            let view = PageView::new(name, Some(text));
            let message = message_of(message.clone(), &writable, "updated", &view.title);
            let commit = match action {
                Some(action) => {
                    match this.commit_to_wiki(&writable, &repository, (head, Some(tip)), &message, action) {
                        Ok(()) => Some(message),
                        // It is as it is to be.
                        Err(error) if is(&error, &RepositoryRefusal::NothingToChange) => None,
                        Err(error) => return Err(error),
                    }
                }
                None => None,
            };
            Ok((view, commit))
        })
        .map_err(|error| match error {
            AppError::Refused(AppRefusal::Repository(RepositoryRefusal::FileExists)) => WikiRefusal::TitleTaken.into(),
            AppError::Refused(AppRefusal::Repository(RepositoryRefusal::FileChanged(_))) => WikiRefusal::Changed.into(),
            other => other,
        })?;
        if let Some(message) = commit {
            this.record(&writable, &repository, &view, (&message, "update"))?;
        }
        Ok(view)
    })
    .await
}

/// Removes a page. Its history stays.
///
/// # Errors
/// [`Missing::WikiPage`] if it is not there, and those of a caller who may not.
pub async fn delete(
    app: &App,
    identity: &Identity,
    project: Reference,
    slug: String,
    message: Option<String>,
) -> Result<(), AppError> {
    let writable = app.writable_wiki(identity, project, ProjectAction::DeleteWikiPage).await?;
    let this = app.clone();
    app.on_git(move || {
        let repository = writable.wiki.repository.clone();
        let (view, message) = at_the_head(|| {
            let (head, tip, file) = changed_page(&repository, &slug)?;
            // One that is too long to be shown can be removed.
            let text = content_of(&repository, tip, &file.path).ok();
            let action = Action::Delete { path: existing(&file)?, last_commit: None };
            let view = PageView::new(file.name, text);
            let message = message_of(message.clone(), &writable, "deleted", &view.title);
            this.commit_to_wiki(&writable, &repository, (head, Some(tip)), &message, action)?;
            Ok((view, message))
        })?;
        this.record(&writable, &repository, &view, (&message, "delete"))
    })
    .await
}

/// The branch of the pages, its commit, and the page of a slug there.
fn changed_page(repository: &Repository, slug: &str) -> Result<(BranchName, Oid, PageFile), AppError> {
    let missing = || AppError::NotFound(Missing::WikiPage);
    if !repository.exists() {
        return Err(missing());
    }
    let (branch, tip) = head_of(repository)?;
    let tip = tip.ok_or_else(missing)?;
    let file = find(repository, tip, slug)?.ok_or_else(missing)?;
    Ok((branch, tip, file))
}

/// The branch of the pages, and its commit if there is one.
pub(super) fn head_of(repository: &Repository) -> Result<(BranchName, Option<Oid>), AppError> {
    let branch = repository.default_branch()?.ok_or(RepositoryRefusal::InvalidBranch)?;
    let tip = repository.ref_target(&branch.full())?;
    Ok((branch, tip))
}

/// Refuses a title and a text that no page may have. The title comes with the slug that it gives.
fn check(app: &App, title: Option<(&str, &str)>, content: Option<&str>) -> Result<(), AppError> {
    let is_no_path = |path: &&str| TreePath::parse(path).is_err();
    let mut errors = FieldErrors::default();
    if let Some((title, slug)) = title {
        if title.trim().is_empty() || slug.is_empty() {
            errors.add("title", "can't be blank");
        } else if slug.split('/').count() > MOST_PARTS || [slug, &format!("{slug}.md")].iter().any(is_no_path) {
            errors.add("title", "is invalid");
        }
    }
    if let Some(content) = content {
        let most = app.known_settings().wiki_page_bytes.min(LONGEST_READ);
        if content.trim().is_empty() {
            errors.add("content", "can't be blank");
        } else if u64::try_from(content.len()).unwrap_or(u64::MAX) > most {
            errors.add("content", format!("is too long ({} bytes). The maximum size is {most} bytes.", content.len()));
        }
    }
    Ok(errors.into_result()?)
}

/// The path of a new file for a page.
fn path_of(slug: &str, extension: &str) -> Result<TreePath, AppError> {
    TreePath::parse(&format!("{slug}.{extension}")).map_err(|_invalid| AppError::invalid("title", "is invalid"))
}

/// The path of a file that is there.
fn existing(file: &PageFile) -> Result<TreePath, AppError> {
    TreePath::of_existing(file.path.as_kept()).map_err(|_invalid| RepositoryRefusal::InvalidPath.into())
}

fn duplicate() -> AppError {
    AppError::invalid("base", "Duplicate page: A page with that title already exists")
}

/// True if an error is this refusal.
fn is(error: &AppError, refusal: &RepositoryRefusal) -> bool {
    matches!(error, AppError::Refused(AppRefusal::Repository(found)) if found == refusal)
}

/// The message of a commit.
fn message_of(given: Option<String>, writable: &WritableWiki, verb: &str, title: &str) -> String {
    let own = || format!("{} {verb} page: {title}", writable.user.username);
    given.filter(|message| !message.trim().is_empty()).unwrap_or_else(own)
}

impl App {
    /// Makes a commit of one change behind the head of a branch of a wiki, and moves the branch to it.
    pub(super) fn commit_to_wiki(
        &self,
        writable: &WritableWiki,
        repository: &Repository,
        (branch, tip): (BranchName, Option<Oid>),
        message: &str,
        action: Action,
    ) -> Result<(), AppError> {
        let bytes = match &action {
            Action::Create { content, .. } | Action::Update { content, .. } | Action::Put { content, .. } => {
                content.len()
            }
            Action::Move { content, .. } => content.as_ref().map_or(0, Vec::len),
            Action::Delete { .. } | Action::Chmod { .. } | Action::Submodule { .. } => 0,
        };
        let more = u64::try_from(bytes.saturating_add(message.len())).unwrap_or(u64::MAX).max(1);
        self.check_size_of_kind(writable.wiki.project.id, RepositoryKind::Wiki, more)?;
        let author = writable.signature(self);
        let request = CommitRequest {
            branch,
            tip,
            start: tip,
            committer: author.clone(),
            author,
            message: message.to_owned(),
            actions: vec![action],
        };
        match repository.commit_actions(&request) {
            Ok(_) => Ok(()),
            // The first branch was made concurrently.
            Err(WriteError::Refused(Refusal::AlreadyExists)) if tip.is_none() => {
                Err(RepositoryRefusal::BranchMoved.into())
            }
            Err(error) => Err(refused(error)),
        }
    }

    fn record(
        &self,
        writable: &WritableWiki,
        repository: &Repository,
        page: &PageView,
        (message, action): (&str, &'static str),
    ) -> Result<(), AppError> {
        let (branch, _) = head_of(repository)?;
        let change = PageChange { page, message, branch: branch.as_str(), action };
        self.record_wiki_change(writable.wiki.project.id, Some(writable.user.id), Some(change))
    }
}

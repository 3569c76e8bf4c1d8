//! The contents of a merge request: commits, files, versions. All of it is read from the project's own repository,
//! which keeps the commits of every version.

use tenon_domain::id::VersionId;
use tenon_domain::issuable::IssuableAction;
use tenon_domain::merge_request::{DiffRefs, Version};
use tenon_domain::page::{Page, PageRequest};
use tenon_git::Repository;
use tenon_git::commit::{CommitQuery, CommitRange};
use tenon_git::diff::{Diff, DiffLimits};
use tenon_storage::merge_request;

use super::mergeability::oid;
use super::show::one;
use super::view::MergeRequestView;
use crate::core::app::{App, Query};
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::issuable::IssuableReference;
use crate::repository::read::browse::shown_limits;
use crate::repository::read::commit::CommitView;
use crate::repository::read::difference::{FileDifference, PatchFormat};
use crate::repository::stream::{ByteStream, stream_git};

/// A merge request with its files.
#[derive(Debug, Clone)]
pub struct Changes {
    /// The merge request.
    pub view: MergeRequestView,
    /// The files.
    pub files: Vec<FileDifference>,
    /// True if there is more than is shown.
    pub overflow: bool,
}

/// Commits of a merge request.
pub type CommitsView = Page<CommitView>;

/// A version with what it brings.
#[derive(Debug, Clone)]
pub struct VersionDetail {
    /// The version.
    pub version: Version,
    /// Its commits, newest first.
    pub commits: Vec<CommitView>,
    /// Its files.
    pub files: Vec<FileDifference>,
}

/// The most commits of one version that are shown with it.
const MAX_COMMITS: i64 = 1000;

/// The commits, newest first.
pub async fn commits(
    app: &App,
    identity: &Identity,
    of: IssuableReference,
    page: PageRequest,
) -> Result<CommitsView, AppError> {
    let (repository, pages, diff) = app.read(identity, move |query| newest_with_pages(query, &of)).await?;
    let nothing = Page::empty(page);
    let Some(diff) = diff else { return Ok(nothing) };
    app.read_git(move || {
        let items = if page.offset() < diff.commits_count {
            repository.commit_list(&between(&diff)?, page.offset(), page.per_page())?
        } else {
            Vec::new()
        };
        let items = items.into_iter().map(|commit| CommitView::new(commit, &pages)).collect();
        Ok(Page { items, total: diff.commits_count, request: page })
    })
    .await
}

/// The merge request with its files.
pub async fn changes(app: &App, identity: &Identity, of: IssuableReference) -> Result<Changes, AppError> {
    let (view, repository, diff) = app
        .read(identity, move |query| {
            let found = query.merge_request(&of, IssuableAction::Read)?;
            let repository = query.app.repositories().store.repository(found.home.project.id);
            Ok((one(query, &found)?, repository, found.request.diff))
        })
        .await?;
    let limits = shown_limits(app);
    let Diff { files, overflow } = app.on_git_long(move || difference(&repository, diff.as_ref(), limits)).await?;
    Ok(Changes { view, files, overflow })
}

/// A page of its files.
pub async fn files(
    app: &App,
    identity: &Identity,
    of: IssuableReference,
    page: PageRequest,
) -> Result<Page<FileDifference>, AppError> {
    let (repository, diff) = app.read(identity, move |query| newest(query, &of)).await?;
    let limits = shown_limits(app);
    let found = app.on_git_long(move || difference(&repository, diff.as_ref(), limits)).await?;
    Ok(Page::cut(found.files, page))
}

/// Its changes, as text.
pub async fn patch(
    app: &App,
    identity: &Identity,
    of: IssuableReference,
    format: PatchFormat,
) -> Result<ByteStream, AppError> {
    let (repository, diff) = app.read(identity, move |query| newest(query, &of)).await?;
    stream_git(app, move || {
        let Some(diff) = diff else { return Ok(None) };
        let (base, head) = (oid(&diff.base)?, oid(&diff.head)?);
        Ok(Some(match format {
            PatchFormat::Diff => repository.patch(base, head)?,
            PatchFormat::Mail => repository.format_patch(Some(base), head)?,
        }))
    })
    .await
}

/// Its versions, newest first.
pub fn versions(query: &mut Query<'_>, of: &IssuableReference, page: PageRequest) -> Result<Page<Version>, AppError> {
    let found = query.merge_request(of, IssuableAction::Read)?;
    Ok(merge_request::versions(&mut query.tx, found.request.id, page)?)
}

/// One version.
pub async fn version(
    app: &App,
    identity: &Identity,
    of: IssuableReference,
    id: VersionId,
) -> Result<VersionDetail, AppError> {
    let (repository, pages, version) = app
        .read(identity, move |query| {
            let found = query.merge_request(&of, IssuableAction::Read)?;
            let version = merge_request::version(&mut query.tx, found.request.id, id)?;
            let repository = query.app.repositories().store.repository(found.home.project.id);
            let pages = query.app.links().pages(&found.home.full_path());
            Ok((repository, pages, version.ok_or(AppError::NotFound(Missing::Record))?))
        })
        .await?;
    let limits = shown_limits(app);
    app.on_git_long(move || {
        let commits = repository.commit_list(&between(&version.diff)?, 0, MAX_COMMITS)?;
        let found = difference(&repository, Some(&version.diff), limits)?;
        let commits = commits.into_iter().map(|commit| CommitView::new(commit, &pages)).collect();
        Ok(VersionDetail { commits, files: found.files, version })
    })
    .await
}

/// The repository that keeps what a merge request brings, and its newest version.
fn newest(query: &mut Query<'_>, of: &IssuableReference) -> Result<(Repository, Option<DiffRefs>), AppError> {
    let found = query.merge_request(of, IssuableAction::Read)?;
    Ok((query.app.repositories().store.repository(found.home.project.id), found.request.diff))
}

/// The same, with the address below which the pages of the project are.
fn newest_with_pages(
    query: &mut Query<'_>,
    of: &IssuableReference,
) -> Result<(Repository, String, Option<DiffRefs>), AppError> {
    let found = query.merge_request(of, IssuableAction::Read)?;
    let home = &found.home;
    let repository = query.app.repositories().store.repository(home.project.id);
    Ok((repository, query.app.links().pages(&home.full_path()), found.request.diff))
}

fn between(diff: &DiffRefs) -> Result<CommitQuery, AppError> {
    Ok(CommitQuery::new(CommitRange::Between { from: oid(&diff.start)?, to: oid(&diff.head)? }))
}

fn difference(repository: &Repository, diff: Option<&DiffRefs>, limits: DiffLimits) -> Result<Diff, AppError> {
    let Some(diff) = diff else { return Ok(Diff::default()) };
    Ok(repository.diff(oid(&diff.base)?, oid(&diff.head)?, limits)?)
}

//! Releases with what answers show of them.

use std::collections::{HashMap, HashSet};

use tenon_domain::id::MilestoneId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::project::setting::RELEASES;
use tenon_domain::release::Release;
use tenon_git::TagName;
use tenon_git::archive::ArchiveFormat;
use tenon_storage::release::{self, ReleaseOrder};

use super::link::LinkView;
use crate::core::app::{App, Query};
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::core::links::in_path;
use crate::policy::authorization::facts;
use crate::policy::reference::Reference;
use crate::repository::read::commit::CommitView;
use crate::repository::read::context::RepositoryContext;
use crate::shared::issuable::milestones;
use crate::shared::issuable::milestones::MilestoneView;
use crate::shared::markdown::{PageText, render_all};
use crate::shared::views::user_ref::UserRef;

/// A release as answers show it.
#[derive(Debug, Clone)]
pub struct ReleaseView {
    /// The release.
    pub release: Release,
    /// Its description as HTML, if that was asked for and is not too much.
    pub description_html: Option<String>,
    /// True if it will be released in the future.
    pub is_upcoming: bool,
    /// Who made it, if that is known.
    pub author: Option<UserRef>,
    /// The commit of its tag, if the tag is there.
    pub commit: Option<CommitView>,
    /// The address of the page of that commit on this server.
    pub commit_path: Option<String>,
    /// The address of the page of its tag on this server.
    pub tag_path: String,
    /// The milestones of its work.
    pub milestones: Vec<MilestoneView>,
    /// Its links, the newest first.
    pub links: Vec<LinkView>,
    /// Archives of what its tag has.
    pub sources: Vec<Source>,
    /// Pages about it.
    pub pages: PageLinks,
}

/// An archive of what a tag has.
#[derive(Debug, Clone)]
pub struct Source {
    /// Such as `tar.gz`.
    pub format: &'static str,
    /// Its address.
    pub url: String,
}

/// Pages about a release.
#[derive(Debug, Clone)]
pub struct PageLinks {
    /// Its own.
    pub own: String,
    /// The page of its project's issues.
    pub issues: String,
    /// The page of its project's merge requests.
    pub merge_requests: String,
    /// The condition that narrows those two to the release.
    pub condition: String,
}

/// A request for releases.
#[derive(Debug, Clone)]
pub struct ListReleases {
    /// Their order.
    pub order: ReleaseOrder,
    /// The oldest first.
    pub ascending: bool,
    /// With descriptions as HTML.
    pub with_html: bool,
    /// Which page.
    pub page: PageRequest,
}

/// Checks that the caller may read the releases of a project.
pub fn permit(query: &mut Query<'_>, project: &Reference) -> Result<(), AppError> {
    query.project_part(project, ProjectAction::ReadCode, &RELEASES).map(|_found| ())
}

/// The releases of a project.
pub async fn list(
    app: &App,
    identity: &Identity,
    project: Reference,
    request: ListReleases,
) -> Result<Page<ReleaseView>, AppError> {
    let (code, found) = app
        .read(identity, move |query| {
            let found = query.project_part(&project, ProjectAction::ReadCode, &RELEASES)?;
            let code = query.repository_of(found)?;
            let (id, order) = (code.project.id, request.order);
            let found = release::list(&mut query.tx, id, order, request.ascending, request.page)?;
            let items = views(query, &code, found.items, request.with_html)?;
            Ok((code, Page { items, total: found.total, request: found.request }))
        })
        .await?;
    Ok(Page { items: with_commits(app, code, found.items).await?, total: found.total, request: found.request })
}

/// The release of a tag.
pub async fn show(
    app: &App,
    identity: &Identity,
    project: Reference,
    tag: String,
    with_html: bool,
) -> Result<ReleaseView, AppError> {
    let (code, view) = app
        .read(identity, move |query| {
            let found = query.project_part(&project, ProjectAction::ReadCode, &RELEASES)?;
            let code = query.repository_of(found)?;
            let found = release::find(&mut query.tx, code.project.id, &tag)?;
            let found = found.ok_or(AppError::NotFound(Missing::Plain))?;
            let view = views(query, &code, vec![found], with_html)?;
            Ok((code, view))
        })
        .await?;
    with_commit(app, code, view).await
}

/// Those of these tags that have a release.
pub fn released(query: &mut Query<'_>, project: &Reference, tags: &[String]) -> Result<HashSet<String>, AppError> {
    let id = query.project_part(project, ProjectAction::ReadCode, &RELEASES)?.project.id;
    Ok(release::by_tags(&mut query.tx, id, tags)?.into_keys().collect())
}

/// The address of the newest release of a project in the API.
pub fn latest(query: &mut Query<'_>, project: &Reference) -> Result<String, AppError> {
    let id = query.project_part(project, ProjectAction::ReadCode, &RELEASES)?.project.id;
    let first = PageRequest::new(Some(1), Some(1));
    let newest = release::list(&mut query.tx, id, ReleaseOrder::ReleasedAt, false, first)?.items.pop();
    let newest = newest.ok_or(AppError::NotFound(Missing::Plain))?;
    Ok(query.app.links().api_release(id, &newest.tag_name))
}

/// The target of the link that is found under `path` below the release of a tag.
pub fn asset(query: &mut Query<'_>, project: &Reference, tag: &str, path: &str) -> Result<String, AppError> {
    let id = query.project_part(project, ProjectAction::ReadCode, &RELEASES)?.project.id;
    let links = release::links(&mut query.tx, id, &[tag.to_owned()])?.remove(tag).unwrap_or_default();
    let path = format!("/{path}");
    let link = links.into_iter().find(|link| link.filepath.as_ref() == Some(&path));
    let link = link.ok_or(AppError::NotFound(Missing::Plain))?;
    Ok(url::Url::parse(&link.url).map_err(AppError::internal)?.into())
}

/// The views of releases of one project, in their order; without commits.
pub(super) fn views(
    query: &mut Query<'_>,
    code: &RepositoryContext,
    releases: Vec<Release>,
    with_html: bool,
) -> Result<Vec<ReleaseView>, AppError> {
    let project = code.project.id;
    let tags: Vec<String> = releases.iter().map(|release| release.tag_name.clone()).collect();
    let mut links = release::links(&mut query.tx, project, &tags)?;
    let people = UserRef::of(query, releases.iter().filter_map(|release| release.author).collect())?;
    let mut milestones = milestones(query, code, &tags)?;
    let htmls = if with_html { descriptions(query, code, &releases)? } else { Vec::new() };
    let mut htmls = htmls.into_iter();
    let (now, pages) = (query.now, query.app.links());
    let views = releases.into_iter().map(|release| {
        let tag = release.tag_name.as_str();
        let tag_page = format!("{}/tags/{}", code.pages, in_path(tag));
        let formats = [ArchiveFormat::Zip, ArchiveFormat::TarGz, ArchiveFormat::TarBz2, ArchiveFormat::Tar];
        let source = |format: ArchiveFormat| Source {
            format: format.suffix(),
            url: pages.archive(&code.full_path, tag, format.suffix()),
        };
        let links = links.remove(tag).unwrap_or_default().into_iter();
        ReleaseView {
            description_html: htmls.next(),
            is_upcoming: release.released_at > now,
            author: release.author.and_then(|author| people.get(&author).cloned()),
            commit: None,
            commit_path: None,
            tag_path: pages.without_host(&tag_page),
            milestones: milestones.remove(tag).unwrap_or_default(),
            links: links.map(|link| LinkView::new(pages, &code.full_path, tag, link)).collect(),
            sources: formats.map(source).to_vec(),
            pages: PageLinks {
                own: pages.release(&code.full_path, tag),
                issues: format!("{}/issues", code.pages),
                merge_requests: format!("{}/merge_requests", code.pages),
                condition: format!("release_tag={}&scope=all", crate::core::links::in_segment(tag)),
            },
            release,
        }
    });
    Ok(views.collect())
}

/// The milestones of the releases of these tags, as far as the project still has or inherits them.
fn milestones(
    query: &mut Query<'_>,
    code: &RepositoryContext,
    tags: &[String],
) -> Result<HashMap<String, Vec<MilestoneView>>, AppError> {
    let mut found: HashMap<String, Vec<MilestoneView>> = HashMap::new();
    let named = release::milestones(&mut query.tx, code.project.id, tags)?;
    if named.is_empty() || facts(&code.project).tracker.is_none() {
        return Ok(found);
    }
    let ids: Vec<MilestoneId> = named.iter().map(|(_, id)| *id).collect();
    let usable = tenon_storage::milestone::usable(&mut query.tx, code.project.id, &ids)?;
    let views = milestones::views(query, usable)?;
    let views: HashMap<MilestoneId, MilestoneView> = views.into_iter().map(|view| (view.milestone.id, view)).collect();
    for (tag, id) in named {
        if let Some(view) = views.get(&id) {
            found.entry(tag).or_default().push(view.clone());
        }
    }
    Ok(found)
}

/// The descriptions of the first releases as HTML, until they are too much.
fn descriptions(
    query: &mut Query<'_>,
    code: &RepositoryContext,
    releases: &[Release],
) -> Result<Vec<String>, AppError> {
    let mut left = usize::try_from(query.app.limits().reads.release_html).unwrap_or(usize::MAX);
    let within = releases.iter().take_while(|release| {
        let remaining = left.checked_sub(release.description.len());
        left = remaining.unwrap_or(0);
        remaining.is_some()
    });
    let texts =
        within.map(|release| PageText { key: format!("release {}", release.tag_name), text: &release.description });
    let texts: Vec<PageText<'_>> = texts.collect();
    render_all(query, &texts, &Reference::Id(code.project.id.get()))
}

/// One view with the commit of its tag.
pub(super) async fn with_commit(
    app: &App,
    code: RepositoryContext,
    view: Vec<ReleaseView>,
) -> Result<ReleaseView, AppError> {
    with_commits(app, code, view).await?.pop().ok_or(AppError::NotFound(Missing::Plain))
}

/// The views with the commits of their tags, for which Git is asked once.
async fn with_commits(
    app: &App,
    code: RepositoryContext,
    mut views: Vec<ReleaseView>,
) -> Result<Vec<ReleaseView>, AppError> {
    let tags = views.iter().filter_map(|view| TagName::parse(&view.release.tag_name).ok());
    let tags: Vec<TagName> = tags.collect();
    if tags.is_empty() {
        return Ok(views);
    }
    let found = app
        .read_git(move || {
            let found = if code.repository.exists() { code.repository.tags_by_name(&tags)? } else { Vec::new() };
            let commits = found
                .into_iter()
                .filter_map(|tag| Some((tag.name.as_str().to_owned(), CommitView::new(tag.commit?, &code.pages))));
            Ok(commits.collect::<HashMap<_, _>>())
        })
        .await?;
    for view in &mut views {
        view.commit = found.get(&view.release.tag_name).cloned();
        view.commit_path = view.commit.as_ref().map(|commit| app.links().without_host(&commit.web_url));
    }
    Ok(views)
}

//! Commits.

use tenon_domain::id::PipelineId;
use tenon_domain::keyset::{Cursor, Key, KeyKind, KeyedOrder, Keyset, KeysetPage, KeysetRequest};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::pipeline::JobStatus;
use tenon_domain::time::Timestamp;
pub use tenon_git::commit::CommitOrder;
use tenon_git::commit::{Commit, CommitQuery, CommitRange, Stats, UncountedPage};
use tenon_git::{LookupPath, Signature};
use tenon_storage::pipeline::{self, Pipeline};

use crate::core::app::App;
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::read::context::RepositoryContext;
use crate::repository::read::counted::{CountedPage, counted};

/// A commit as answers show it.
#[derive(Debug, Clone)]
pub struct CommitView {
    /// 40 hexadecimal digits.
    pub id: String,
    /// The first eight of them.
    pub short_id: String,
    /// The first line of the message, shortened if it is long.
    pub title: String,
    /// The whole message.
    pub message: String,
    /// Its parents.
    pub parent_ids: Vec<String>,
    /// Who wrote it.
    pub author: Person,
    /// Who committed it.
    pub committer: Person,
    /// Lines added and removed, if they were asked for.
    pub stats: Option<(u64, u64)>,
    /// Its page.
    pub web_url: String,
}

/// An author or committer, and the time.
#[derive(Debug, Clone)]
pub struct Person {
    /// The name.
    pub name: String,
    /// The address.
    pub email: String,
    /// The time of the commit.
    pub at: Timestamp,
}

impl From<&Signature> for Person {
    fn from(signature: &Signature) -> Self {
        Self { name: signature.name.clone(), email: signature.email.clone(), at: signature.at() }
    }
}

impl CommitView {
    /// The view of a commit of the project whose pages are below `pages`.
    pub(crate) fn new(commit: Commit, pages: &str) -> Self {
        Self {
            web_url: format!("{pages}/commit/{}", commit.id),
            id: commit.id.to_string(),
            short_id: commit.short_id(),
            title: shown_title(commit.title()),
            parent_ids: commit.parents.iter().map(ToString::to_string).collect(),
            author: (&commit.author).into(),
            committer: (&commit.committer).into(),
            message: commit.message,
            stats: None,
        }
    }
}

/// From this many characters on a title is shortened, to at most [`SHORT`] of them.
const LONG: usize = 100;
const SHORT: usize = 80;

/// The title as lists show it: a long one is cut between words.
fn shown_title(title: &str) -> String {
    if title.is_empty() {
        return "--no commit message".to_owned();
    }
    if title.chars().count() < LONG {
        return title.to_owned();
    }
    let cut: String = title.chars().take(SHORT).collect();
    let end = cut.rfind(char::is_whitespace).unwrap_or(cut.len());
    format!("{}…", cut.get(..end).unwrap_or(&cut).trim_end())
}

/// A commit with what CI says of it.
#[derive(Debug, Clone)]
pub struct CommitDetail {
    /// The commit.
    pub commit: CommitView,
    /// Its latest pipeline.
    pub last_pipeline: Option<PipelineRef>,
    /// Its project.
    pub project: tenon_domain::id::ProjectId,
}

/// A pipeline, in brief.
#[derive(Debug, Clone)]
pub struct PipelineRef {
    /// Its id.
    pub id: PipelineId,
    /// Its commit.
    pub sha: String,
    /// Its branch or tag.
    pub ref_name: String,
    /// Its place.
    pub status: JobStatus,
    /// Its page.
    pub web_url: String,
}

impl PipelineRef {
    pub(crate) fn new(app: &App, full_path: &str, pipeline: &Pipeline) -> Self {
        Self {
            id: pipeline.id,
            sha: pipeline.sha.clone(),
            ref_name: pipeline.ref_name.clone(),
            status: pipeline.status,
            web_url: format!("{}/pipelines/{}", app.links().pages(full_path), pipeline.id),
        }
    }
}

/// A request for commits.
#[derive(Debug, Clone, Default)]
pub struct ListCommits {
    /// A branch, tag or commit, or a range `a..b` or `a...b`; the default branch if absent.
    pub revision: Option<String>,
    /// From this moment on.
    pub since: Option<Timestamp>,
    /// Up to this moment.
    pub until: Option<Timestamp>,
    /// That changed this file or directory, in its kept form.
    pub path: Option<String>,
    /// By an author with this in name or address.
    pub author: Option<String>,
    /// Of all branches and tags.
    pub all: bool,
    /// With lines added and removed.
    pub with_stats: bool,
    /// Only what was merged, not what it consists of.
    pub first_parent: bool,
    /// Their order.
    pub order: CommitOrder,
    /// Which page.
    pub page: PageRequest,
    /// The page of keyset pagination; `None` for a page with a number.
    pub keyset: Option<KeysetRequest>,
}

/// The answer of a list of commits: a page with a number, or a page of keyset pagination.
#[derive(Debug, Clone)]
pub enum CommitListing {
    /// A page.
    Page(CountedPage<CommitView>),
    /// A part.
    Part(KeysetPage<CommitView>),
}

impl ListCommits {
    /// True if Git reads more of the history than the page has: commits that do not match count as well.
    fn is_filtered(&self) -> bool {
        let is_given = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
        is_given(&self.path) || is_given(&self.author) || self.order == CommitOrder::Topological
    }
}

/// Commits, newest first. Of an empty repository there are none; 404 for an unknown branch, tag, commit or range.
pub async fn commits(
    app: &App,
    identity: &Identity,
    project: Reference,
    request: ListCommits,
) -> Result<CommitListing, AppError> {
    let code = app.readable(identity, project).await?;
    if let Some(keyset) = &request.keyset {
        let name = match request.order {
            CommitOrder::Newest => "default",
            CommitOrder::Topological => "topo",
        };
        // Pushes change which commits all branches and tags have. The commits that follow one commit stay the same.
        let order = Some(KeyedOrder { name, kind: KeyKind::Text }).filter(|_| !request.all);
        let keyset = keyset.of(order, true, "default and topo of one revision or range")?;
        return part(app, code, request, keyset).await.map(CommitListing::Part);
    }
    let (is_long, asked, page) = (request.with_stats || request.is_filtered(), code.clone(), request.page);
    let work = move || {
        let Some(wanted) = wanted(&asked, &request)? else { return Ok(None) };
        let UncountedPage { page, total } = asked.repository.uncounted_commits(&wanted, request.page)?;
        let items = views(&asked, page.items, request.with_stats)?;
        Ok(Some((wanted, Page { items, total: page.total, request: page.request }, total)))
    };
    let found = if is_long { app.on_git_long(work).await? } else { app.read_git(work).await? };
    let Some((wanted, found, total)) = found else { return Ok(CommitListing::Page(CountedPage::empty(page))) };
    Ok(CommitListing::Page(counted(app, &code, wanted, found, total).await))
}

/// One page of keyset pagination. The token has the ids of the range, and how many commits to skip.
async fn part(
    app: &App,
    code: RepositoryContext,
    mut request: ListCommits,
    keyset: Keyset,
) -> Result<KeysetPage<CommitView>, AppError> {
    let is_long = request.with_stats || request.is_filtered();
    let mut skip = 0;
    if let Some(Cursor { key: Key::Text(range), id }) = &keyset.after {
        (request.revision, skip) = (Some(range.clone()), (*id).max(0));
    }
    let work = move || {
        let Some(wanted) = wanted(&code, &request)? else { return Ok(KeysetPage::empty()) };
        let found = code.repository.commit_list(&wanted, skip, keyset.per_page.saturating_add(1))?;
        let named = match wanted.range {
            CommitRange::From(tip) => Some(tip.to_string()),
            CommitRange::Between { from, to } => Some(format!("{from}..{to}")),
            CommitRange::Apart { one, other } => Some(format!("{one}...{other}")),
            CommitRange::NotIn { .. } | CommitRange::All => None,
        };
        let cursor = Cursor { key: named.map_or(Key::Id, Key::Text), id: skip.saturating_add(keyset.per_page) };
        let page = KeysetPage::cut(found, &keyset, |_| cursor);
        Ok(KeysetPage { items: views(&code, page.items, request.with_stats)?, next: page.next })
    };
    if is_long { app.on_git_long(work).await } else { app.read_git(work).await }
}

/// The commits as answers show them.
fn views(code: &RepositoryContext, commits: Vec<Commit>, with_stats: bool) -> Result<Vec<CommitView>, AppError> {
    let mut stats = std::collections::HashMap::new();
    if with_stats {
        let ids: Vec<_> = commits.iter().map(|commit| commit.id).collect();
        stats = code.repository.commit_stats(&ids)?;
    }
    let view = |commit: Commit| {
        let counted = stats.get(&commit.id).map(|stats: &Stats| (stats.additions, stats.deletions));
        CommitView { stats: counted, ..CommitView::new(commit, &code.pages) }
    };
    Ok(commits.into_iter().map(view).collect())
}

/// Which commits are meant; `None` if there are none.
fn wanted(code: &RepositoryContext, request: &ListCommits) -> Result<Option<CommitQuery>, AppError> {
    let range = match request.revision.as_deref() {
        _ if request.all => code.repository.exists().then_some(CommitRange::All),
        Some(text) => code.range_or(text, Missing::Commit)?,
        None => code.commit_named(None)?.map(CommitRange::From),
    };
    let Some(range) = range else { return Ok(None) };
    let path = match request.path.as_deref().filter(|path| !path.is_empty()) {
        None => None,
        Some(path) => match LookupPath::parse(path) {
            None => return Ok(None),
            Some(path) => Some(path_in(code, range, path)?),
        },
    };
    Ok(Some(CommitQuery {
        path,
        since: request.since,
        until: request.until,
        author: request.author.clone(),
        first_parent: request.first_parent,
        order: request.order,
        ..CommitQuery::new(range)
    }))
}

/// The path as the first of the newest commits of a range has it; as it is if none does.
fn path_in(code: &RepositoryContext, range: CommitRange, path: LookupPath) -> Result<LookupPath, AppError> {
    let tips = match range {
        CommitRange::From(tip) | CommitRange::Between { to: tip, .. } | CommitRange::NotIn { to: tip, .. } => vec![tip],
        CommitRange::Apart { one, other } => vec![other, one],
        CommitRange::All => code.commit_named(None)?.into_iter().collect(),
    };
    for tip in tips {
        let exact = code.repository.exact_path(tip, path.clone())?;
        if exact != path {
            return Ok(exact);
        }
    }
    Ok(path)
}

/// One commit, with its pipeline and, if `with_stats`, lines added and removed.
pub async fn commit(
    app: &App,
    identity: &Identity,
    project: Reference,
    revision: String,
    with_stats: bool,
) -> Result<CommitDetail, AppError> {
    let code = app.readable(identity, project).await?;
    let (id, full_path) = (code.project.id, code.full_path.clone());
    let work = move || found_commit(&code, &revision, with_stats);
    let commit = if with_stats { app.on_git_long(work).await? } else { app.read_git(work).await? };
    let sha = commit.id.clone();
    let pipeline = app.read(identity, move |query| Ok(pipeline::latest(&mut query.tx, id, &sha, None)?)).await?;
    let last_pipeline = pipeline.map(|pipeline| PipelineRef::new(app, &full_path, &pipeline));
    Ok(CommitDetail { commit, last_pipeline, project: id })
}

pub(crate) fn found_commit(code: &RepositoryContext, revision: &str, with_stats: bool) -> Result<CommitView, AppError> {
    let id = code.commit_or(Some(revision), Missing::Commit)?;
    let missing = || AppError::NotFound(Missing::Commit);
    let commit = code.repository.commit_at(id)?.ok_or_else(missing)?;
    let mut view = CommitView::new(commit, &code.pages);
    if with_stats {
        let stats = code.repository.commit_stats(&[id])?.remove(&id);
        view.stats = stats.map(|stats| (stats.additions, stats.deletions));
    }
    Ok(view)
}

/// A branch or tag that has a commit.
#[derive(Debug, Clone)]
pub struct ContainingRef {
    /// True if it is a tag.
    pub is_tag: bool,
    /// Its name.
    pub name: String,
}

/// The branches and tags that have a commit, branches first.
pub async fn refs_with(
    app: &App,
    identity: &Identity,
    project: Reference,
    revision: String,
) -> Result<Vec<ContainingRef>, AppError> {
    let code = app.readable(identity, project).await?;
    // Takes as long as there are refs and commits.
    app.on_git_long(move || {
        let id = code.commit_or(Some(&revision), Missing::Commit)?;
        let found = code.repository.refs_containing(id)?;
        let branches =
            found.branches.iter().map(|name| ContainingRef { is_tag: false, name: name.as_str().to_owned() });
        let tags = found.tags.iter().map(|name| ContainingRef { is_tag: true, name: name.as_str().to_owned() });
        Ok(branches.chain(tags).collect())
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_titles_are_cut_between_words() {
        assert_eq!(shown_title(""), "--no commit message");
        assert_eq!(shown_title(&"x".repeat(99)), "x".repeat(99));
        let long = "word ".repeat(30);
        let shown = shown_title(long.trim_end());
        assert!(shown.ends_with("word…") && shown.chars().count() <= SHORT + 1, "{shown}");
        assert_eq!(shown_title(&"x".repeat(100)), format!("{}…", "x".repeat(80)));
    }
}

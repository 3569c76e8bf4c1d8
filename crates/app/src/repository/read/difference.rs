//! Differences of commits.

use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::project::setting::ANALYTICS;
use tenon_domain::refusal::RepositoryRefusal;
use tenon_git::Oid;
use tenon_git::blame::{Blame, BlameLines};
use tenon_git::compare::CompareFrom;
use tenon_git::diff::{Diff, FileDiff};

use crate::core::app::App;
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::read::browse::shown_limits;
use crate::repository::read::commit::{CommitView, found_commit};
use crate::repository::read::context::{Code, RepositoryContext};
use crate::repository::stream::{ByteStream, stream_git};

/// A file that differs.
pub type FileDifference = FileDiff;

/// The changes of a commit against its first parent.
pub async fn commit_diff(
    app: &App,
    identity: &Identity,
    project: Reference,
    revision: String,
    page: PageRequest,
) -> Result<Page<FileDifference>, AppError> {
    let code = app.readable(identity, project).await?;
    let limits = shown_limits(app);
    app.on_git_long(move || {
        let id = code.commit_or(Some(&revision), Missing::Commit)?;
        let diff = code.repository.commit_diff(id, limits)?.unwrap_or_default();
        Ok(Page::cut(diff.files, page))
    })
    .await
}

/// How a difference is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchFormat {
    /// As `git diff` prints it.
    Diff,
    /// A mail for each commit, as `git format-patch` writes them and `git am` reads them. Merges have none.
    Mail,
}

/// The changes of a commit against its first parent, as text.
pub async fn commit_patch(
    app: &App,
    code: &Code,
    revision: String,
    format: PatchFormat,
) -> Result<ByteStream, AppError> {
    let Code(code) = code.clone();
    stream_git(app, move || {
        let commit = found_commit(&code, &revision, false)?;
        let oid = |id: &String| id.parse().map_err(AppError::internal);
        let (id, parent): (Oid, Option<Oid>) = (oid(&commit.id)?, commit.parent_ids.first().map(oid).transpose()?);
        Ok(match format {
            PatchFormat::Diff => Some(code.repository.patch(parent.unwrap_or(Oid::EMPTY_TREE), id)?),
            // The range from the first parent holds what a merge has brought.
            PatchFormat::Mail if commit.parent_ids.len() > 1 => None,
            PatchFormat::Mail => Some(code.repository.format_patch(parent, id)?),
        })
    })
    .await
}

/// The commits and changes that one side has and the other has not.
#[derive(Debug, Clone, Default)]
pub struct ComparisonView {
    /// The commits, oldest first.
    pub commits: Vec<CommitView>,
    /// The changed files.
    pub diffs: Vec<FileDifference>,
    /// True if there is more than is shown.
    pub overflow: bool,
    /// True if both sides are the same.
    pub same: bool,
}

/// The most commits of a comparison.
const MAX_COMMITS: i64 = 1000;

/// Compares two branches, tags or commits. A missing side has nothing.
pub async fn compare(
    app: &App,
    identity: &Identity,
    project: Reference,
    sides: (String, String),
    straight: bool,
) -> Result<ComparisonView, AppError> {
    let code = app.readable(identity, project).await?;
    let limits = shown_limits(app);
    app.on_git_long(move || {
        let (from, to) = (code.commit_named(Some(&sides.0))?, code.commit_named(Some(&sides.1))?);
        let (Some(from), Some(to)) = (from, to) else { return Err(AppError::NotFound(Missing::Ref)) };
        if from == to {
            return Ok(ComparisonView { same: true, ..ComparisonView::default() });
        }
        let way = if straight { CompareFrom::Straight } else { CompareFrom::MergeBase };
        let found = code.repository.compare(from, to, way, MAX_COMMITS, limits)?;
        let Diff { files, overflow } = found.diff;
        Ok(ComparisonView {
            commits: found.commits.into_iter().map(|commit| CommitView::new(commit, &code.pages)).collect(),
            diffs: files,
            overflow,
            same: false,
        })
    })
    .await
}

/// The most branches, tags or commits whose common ancestor is a short question: each one takes another walk through the
/// history.
const FEW_REFS: usize = 10;

/// The last commit that all of these branches, tags or commits have.
pub async fn merge_base(
    app: &App,
    identity: &Identity,
    project: Reference,
    names: Vec<String>,
) -> Result<CommitView, AppError> {
    if names.len() < 2 {
        return Err(RepositoryRefusal::TooFewRefs.into());
    }
    let code = app.readable(identity, project).await?;
    let is_long = names.len() > FEW_REFS;
    let work = move || {
        let mut ids = Vec::new();
        let mut unknown = Vec::new();
        for name in &names {
            match code.commit_named(Some(name))? {
                Some(id) => ids.push(id),
                None => unknown.push(name.as_str()),
            }
        }
        if !unknown.is_empty() {
            let unknown = unknown.into_iter().map(str::to_owned).collect();
            return Err(AppError::from(RepositoryRefusal::RefsMissing(unknown)));
        }
        let missing = || AppError::NotFound(Missing::MergeBase);
        let id = code.repository.merge_base(&ids)?.ok_or_else(missing)?;
        Ok(CommitView::new(code.repository.commit(id)?.ok_or_else(missing)?, &code.pages))
    };
    if is_long { app.on_git_long(work).await } else { app.read_git(work).await }
}

/// Who has committed to the default branch.
#[derive(Debug, Clone)]
pub struct ContributorView {
    /// The name.
    pub name: String,
    /// The address, by which authors are distinguished.
    pub email: String,
    /// How many commits.
    pub commits: i64,
    /// How many commits of everybody were counted.
    pub of: i64,
}

/// The order of a list of contributors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ContributorOrder {
    /// Number of commits.
    #[default]
    Commits,
    /// Name, whatever the case.
    Name,
    /// Address, whatever the case.
    Email,
}

/// Who has committed to the default branch, with the newest 2,000 commits counted.
pub async fn contributors(
    app: &App,
    identity: &Identity,
    project: Reference,
    order: ContributorOrder,
    descending: bool,
    page: PageRequest,
) -> Result<Page<ContributorView>, AppError> {
    let code = app
        .read(identity, move |query| {
            let found = query.project_part(&project, ProjectAction::ReadCode, &ANALYTICS)?;
            query.repository_of(found)
        })
        .await?;
    app.on_git_long(move || {
        let tip = code.commit_or(None, Missing::Repository)?;
        let found = code.repository.contributors(tip)?;
        let of = found.iter().map(|person| person.commits).sum();
        let mut people: Vec<ContributorView> = found
            .into_iter()
            .map(|person| ContributorView { name: person.name, email: person.email, commits: person.commits, of })
            .collect();
        match order {
            ContributorOrder::Commits => people.sort_by_key(|person| person.commits),
            ContributorOrder::Name => people.sort_by_key(|person| person.name.to_lowercase()),
            ContributorOrder::Email => people.sort_by_key(|person| person.email.to_lowercase()),
        }
        if descending {
            people.reverse();
        }
        Ok(Page::cut(people, page))
    })
    .await
}

/// Lines of a file, and the commit that they come from.
#[derive(Debug, Clone)]
pub struct BlameView {
    /// The commit.
    pub commit: CommitView,
    /// The lines.
    pub lines: Vec<String>,
}

/// How long Git may look for the origins of lines.
const BLAME_TIME: std::time::Duration = std::time::Duration::from_secs(30);

/// The origins of the lines of a file: all of them, or those from one to another, both counted from 1. More lines than
/// `reads.blame_lines` are refused.
pub async fn blame(
    app: &App,
    identity: &Identity,
    project: Reference,
    path: String,
    revision: String,
    lines: Option<(usize, usize)>,
) -> Result<Vec<BlameView>, AppError> {
    let most = app.limits().reads.blame_lines;
    let lines = lines.map(|(start, end)| BlameLines { start, end });
    if lines.is_some_and(|lines| lines.end.saturating_sub(lines.start) >= most) {
        return Err(RepositoryRefusal::RangeTooLong(most).into());
    }
    let code = app.readable(identity, project).await?;
    app.on_git_long(move || blamed(&code, &path, &revision, lines, most)).await
}

fn blamed(
    code: &RepositoryContext,
    path: &str,
    revision: &str,
    lines: Option<BlameLines>,
    most: usize,
) -> Result<Vec<BlameView>, AppError> {
    let commit = code.commit_or(Some(revision), Missing::Commit)?;
    let missing = || AppError::NotFound(Missing::File);
    let path = tenon_git::LookupPath::parse(path).ok_or_else(missing)?;
    let path = code.repository.exact_path(commit, path)?;
    match code.repository.blame(commit, &path, lines, BLAME_TIME)?.ok_or_else(missing)? {
        Blame::Lines(ranges) => {
            let view = |commit| CommitView::new(commit, &code.pages);
            Ok(ranges.into_iter().map(|range| BlameView { commit: view(range.commit), lines: range.lines }).collect())
        }
        Blame::TooManyLines => Err(RepositoryRefusal::FileTooLong(most).into()),
    }
}

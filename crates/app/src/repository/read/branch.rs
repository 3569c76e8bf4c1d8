//! Branches.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use regex::Regex;
use tenon_domain::limits::ReadLimits;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::refusal::RepositoryRefusal;
use tenon_domain::regular_expression::{Case, compile};
use tenon_domain::time::Timestamp;
use tenon_git::branch::{Branch, BranchFilter, NameSearch};
use tenon_git::commit::Divergence;
use tenon_git::{BranchName, Oid, RefName};

pub use tenon_git::branch::{BranchAges, BranchOrder, TipAge};

use crate::core::app::App;
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::core::links::in_path;
use crate::policy::reference::Reference;
use crate::repository::read::commit::CommitView;
use crate::repository::read::context::{Code, RepositoryContext};

/// How long Git may compare the branches of a page with the default branch.
const DIVERGENCE_TIME: Duration = Duration::from_secs(2);

/// A branch as answers show it.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "the API has this many")]
pub struct BranchView {
    /// Its name.
    pub name: String,
    /// Its tip.
    pub commit: CommitView,
    /// True if the default branch has all of it, and more.
    pub merged: bool,
    /// True if a rule covers it.
    pub protected: bool,
    /// True if a rule lets developers push.
    pub developers_can_push: bool,
    /// True if a rule lets developers merge.
    pub developers_can_merge: bool,
    /// True if the caller may push.
    pub can_push: bool,
    /// True if it is the default branch.
    pub default: bool,
    /// Its page.
    pub web_url: String,
}

/// A request for branches.
#[derive(Debug, Clone, Default)]
pub struct ListBranches {
    /// Part of the name; `^x` at its start, `x$` at its end.
    pub search: Option<String>,
    /// A regular expression that the name matches somewhere.
    pub regex: Option<String>,
    /// When their tips were committed.
    pub tips: Option<TipAge>,
    /// The order of the list.
    pub order: BranchOrder,
    /// Which page.
    pub page: PageRequest,
}

/// The branches of a repository.
pub async fn branches(
    app: &App,
    identity: &Identity,
    project: Reference,
    request: ListBranches,
) -> Result<Page<BranchView>, AppError> {
    Ok(list(app, app.readable(identity, project).await?, request, None).await?.0)
}

/// As [`branches`], for a page.
pub async fn branches_of(app: &App, code: &Code, request: ListBranches) -> Result<Page<BranchView>, AppError> {
    Ok(list(app, code.0.clone(), request, None).await?.0)
}

/// A page of branches for people.
#[derive(Debug, Clone)]
pub struct BranchesPage {
    /// The branches.
    pub branches: Page<BranchView>,
    /// The default branch, whether or not it is among them. `None` if it has no commit.
    pub default: Option<BranchView>,
    /// How far their tips have gone apart from that of the default branch, by tip. Those are left out for which Git
    /// needs too long.
    pub divergences: HashMap<String, Divergence>,
    /// The numbers of all branches by age. `None` if a commit is too large to find out when it was made.
    pub ages: Option<BranchAges>,
}

/// As [`branches`], with the default branch, and how far they have gone apart from it. Branches whose last commit is older than
/// `stale_before` count as stale.
pub async fn branches_page(
    app: &App,
    code: &Code,
    request: ListBranches,
    stale_before: Timestamp,
) -> Result<BranchesPage, AppError> {
    let (branches, ages) = list(app, code.0.clone(), request, Some(stale_before)).await?;
    let code = code.0.clone();
    app.on_git_long(move || {
        let name = code.project.default_branch.as_deref().and_then(|name| BranchName::parse(name).ok());
        let name = name.filter(|_| code.repository.exists());
        let found = name.map(|name| code.repository.branch(&name)).transpose()?.flatten();
        let Some(default) = found else {
            return Ok(BranchesPage { branches, default: None, divergences: HashMap::new(), ages });
        };
        let tip = |branch: &BranchView| {
            Some((BranchName::parse(&branch.name).ok()?.full(), branch.commit.id.parse::<Oid>().ok()?))
        };
        let tips: Vec<(RefName, Oid)> = branches.items.iter().filter_map(tip).collect();
        let divergences = code.repository.divergences(default.commit.id, &tips, DIVERGENCE_TIME)?;
        let divergences = divergences.into_iter().map(|(tip, divergence)| (tip.to_string(), divergence)).collect();
        let default = view(&code, default, &HashSet::new());
        Ok(BranchesPage { branches, default: Some(default), divergences, ages })
    })
    .await
}

/// The branches. If a time is given, also the numbers of all by age.
async fn list(
    app: &App,
    code: RepositoryContext,
    request: ListBranches,
    stale_before: Option<Timestamp>,
) -> Result<(Page<BranchView>, Option<BranchAges>), AppError> {
    let limits = app.limits().reads.clone();
    // These read all branches, and not those of the page only.
    let is_long = request.regex.is_some()
        || request.tips.is_some()
        || request.order != BranchOrder::Name
        || stale_before.is_some();
    let work = move || {
        let pattern = request.regex.as_deref().map(|text| pattern(text, &limits)).transpose()?;
        if !code.repository.exists() {
            return Ok((Page::empty(request.page), None));
        }
        let search = request.search.as_deref().filter(|text| !text.is_empty()).map(NameSearch::parse);
        let filter = BranchFilter { search: search.as_ref(), pattern: pattern.as_ref(), tips: request.tips };
        let (found, ages) = match stale_before {
            Some(time) => code.repository.branches_and_ages(filter, request.order, request.page, time)?,
            None => (code.repository.branches(filter, request.order, request.page)?, None),
        };
        let merged = merged(&code, &found.items)?;
        Ok((found.map(|branch| view(&code, branch, &merged)), ages))
    };
    if is_long { app.on_git_long(work).await } else { app.read_git(work).await }
}

/// A regular expression that a caller has sent, bounded in length and in memory.
fn pattern(text: &str, limits: &ReadLimits) -> Result<Regex, AppError> {
    if u64::try_from(text.len()).is_ok_and(|length| length > limits.pattern) {
        return Err(RepositoryRefusal::PatternTooLong.into());
    }
    let most = usize::try_from(limits.compiled_pattern).unwrap_or(usize::MAX);
    compile(text, most, Case::Sensitive).ok_or(RepositoryRefusal::InvalidPattern.into())
}

/// One branch.
pub async fn branch(app: &App, identity: &Identity, project: Reference, name: String) -> Result<BranchView, AppError> {
    let code = app.readable(identity, project).await?;
    app.read_git(move || show(&code, &name)).await
}

pub(crate) fn show(code: &RepositoryContext, name: &str) -> Result<BranchView, AppError> {
    let name = BranchName::parse(name).map_err(|_invalid| RepositoryRefusal::InvalidBranchRef)?;
    let missing = || AppError::NotFound(Missing::Branch);
    if !code.repository.exists() {
        return Err(missing());
    }
    let branch = code.repository.branch(&name)?.ok_or_else(missing)?;
    let merged = merged(code, std::slice::from_ref(&branch))?;
    Ok(view(code, branch, &merged))
}

/// Those of these branches of which the default branch has everything.
fn merged(code: &RepositoryContext, branches: &[Branch]) -> Result<HashSet<BranchName>, AppError> {
    match code.commit_named(None)? {
        Some(tip) => Ok(code.repository.merged_of(branches, tip)?),
        None => Ok(HashSet::new()),
    }
}

fn view(code: &RepositoryContext, branch: Branch, merged: &HashSet<BranchName>) -> BranchView {
    let rules = code.branch_rules(branch.name.as_str());
    let default = code.project.default_branch.as_deref() == Some(branch.name.as_str());
    BranchView {
        merged: merged.contains(&branch.name) && !default,
        protected: rules.is_protected(),
        developers_can_push: rules.developers_can_push(),
        developers_can_merge: rules.developers_can_merge(),
        can_push: code.can_push && rules.admit_push(&code.standing),
        default,
        web_url: format!("{}/tree/{}", code.pages, in_path(branch.name.as_str())),
        name: branch.name.as_str().to_owned(),
        commit: CommitView::new(branch.commit, &code.pages),
    }
}

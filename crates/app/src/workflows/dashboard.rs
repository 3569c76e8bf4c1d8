//! Everything that waits for a user: reviews, assigned work, failed pipelines, mentions, and branches without a merge request.

use std::collections::{HashMap, HashSet};

use tenon_domain::access::AccessLevel;
use tenon_domain::id::{PipelineId, ProjectId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::pipeline::JobStatus;
use tenon_domain::project::setting::MERGE_REQUESTS;
use tenon_domain::project::{Project, ProjectAction};
use tenon_domain::time::Timestamp;
use tenon_domain::todo::TodoAction;
use tenon_git::Oid;
use tenon_storage::issuable::BranchFilter;
use tenon_storage::pipeline::{self, HeadOf, Pipeline};
use tenon_storage::project::{self, ProjectWithNamespace};
use tenon_storage::{event, merge_request as requests, repository};

use crate::core::app::{App, Query};
use crate::core::error::AppError;
use crate::issuable::{AssigneeWish, IssuableOrder, IssuableView, ListIssuables, StateFilter};
use crate::merge_request::MergeRequestView;
use crate::policy::reference::Reference;
use crate::repository::refs::push_events::PushData;
use crate::shared::views::pipelines;
use crate::todo::{ListTodos, TodoView};
use crate::{issue, merge_request, todo};

/// The days for which a push makes its branch count as a branch of the user.
const DAYS: i64 = 14;
/// The hours after a push in which its project suggests a merge request.
const HOURS: i64 = 2;
/// The most pushes that are read, newest first; as many open merge requests of the user.
const MOST_READ: i64 = 100;
/// The most branches that one project suggests at once: more would push its files down.
pub const MOST_SUGGESTED: usize = 1;

/// Everything that waits for the caller. Each list has the first entries, and its total.
#[derive(Debug, Clone)]
pub struct Dashboard {
    /// Open merge requests that they are to review.
    pub reviews: Page<MergeRequestView>,
    /// Open issues that are assigned to them.
    pub issues: Page<IssuableView>,
    /// Open merge requests that are assigned to them.
    pub merge_requests: Page<MergeRequestView>,
    /// Entries of their to-do list that the other lists do not have: mentions, answers, conflicts, and their own.
    pub todos: Page<TodoView>,
    /// Failed pipelines of the heads of their branches and of their open merge requests, newest first.
    pub failed: Vec<FailedPipeline>,
    /// Their branches without a merge request, newest push first.
    pub branches: Vec<PushedBranch>,
}

/// A failed pipeline of a branch.
#[derive(Debug, Clone)]
pub struct FailedPipeline {
    /// Its id.
    pub id: PipelineId,
    /// The full path of its project.
    pub project_path: String,
    /// The branch.
    pub branch: String,
    /// The first line of its commit. `None` if the caller has not pushed that commit lately.
    pub title: Option<String>,
    /// When it last changed.
    pub at: Timestamp,
}

/// A branch to which the caller has pushed lately.
#[derive(Debug, Clone)]
pub struct PushedBranch {
    /// The full path of its project.
    pub project_path: String,
    /// The short name.
    pub name: String,
    /// The first line of the newest commit.
    pub title: Option<String>,
    /// The time of the newest push.
    pub at: Timestamp,
    project: ProjectId,
    /// Its commit, and that of the default branch.
    tip: String,
    default_tip: Option<String>,
}

impl PushedBranch {
    /// True if the default branch has its commits already, as far as the graph of commits says.
    fn is_merged(&self, app: &App) -> Result<bool, AppError> {
        let parsed = (self.tip.parse::<Oid>().ok(), self.default_tip.as_deref().and_then(|tip| tip.parse().ok()));
        let (Some(tip), Some(default)) = parsed else { return Ok(false) };
        Ok(app.repositories().store.repository(self.project).is_known_ancestor(tip, default)?)
    }
}

/// Those of these branches that the default branches of their projects do not have already, at most `most`. No process of Git is
/// started for that: branches of which it is not known yet stay in the list.
pub async fn unmerged(app: &App, branches: Vec<PushedBranch>, most: usize) -> Result<Vec<PushedBranch>, AppError> {
    if branches.is_empty() {
        return Ok(branches);
    }
    let this = app.clone();
    app.read_git(move || {
        let mut left = Vec::new();
        for branch in branches {
            if left.len() < most && !branch.is_merged(&this)? {
                left.push(branch);
            }
        }
        Ok(left)
    })
    .await
}

/// Everything that waits for the caller: `most` entries of each list of the database. The number of statements does not
/// depend on the number of entries.
pub fn dashboard(query: &mut Query<'_>, most: i64) -> Result<Dashboard, AppError> {
    let user = query.user()?.id;
    let open = ListIssuables {
        state: Some(StateFilter::Opened),
        without_archived: true,
        order_by: IssuableOrder::UpdatedAt,
        ..ListIssuables::everything(PageRequest::new(None, Some(most)))
    };
    let asked =
        ListIssuables { branches: BranchFilter { reviewer: Some(user), ..BranchFilter::default() }, ..open.clone() };
    let assigned = ListIssuables { assignee: AssigneeWish::User(user), ..open };
    let others = ListTodos {
        but: vec![TodoAction::Assigned, TodoAction::ApprovalRequired, TodoAction::BuildFailed],
        ..ListTodos::default()
    };
    let recent = pushes(query, user, None, query.now - chrono::Duration::days(DAYS))?;
    let places = places(query, &recent)?;
    let pushed = pushed(query, recent, &places)?;
    let (reviews, merge_requests) = merge_request::both(query, &asked, &assigned)?;
    Ok(Dashboard {
        reviews,
        issues: issue::list(query, &assigned)?,
        merge_requests,
        todos: todo::list(query, &others, PageRequest::new(None, Some(most)))?,
        failed: failed(query, user, &pushed)?,
        branches: without_request(query, pushed)?,
    })
}

/// The branches of a project to which the caller has pushed in the last hours, and which have no merge request.
pub fn just_pushed(query: &mut Query<'_>, project: &Reference) -> Result<Vec<PushedBranch>, AppError> {
    let Some(user) = query.caller.user.as_ref().map(|user| user.id) else { return Ok(Vec::new()) };
    let found = query.project(project, ProjectAction::Read)?;
    if !found.may(ProjectAction::Push) || !found.may(ProjectAction::ReadCode) {
        return Ok(Vec::new());
    }
    let place = Place { path: found.full_path(), project: found.project };
    let since = query.now - chrono::Duration::hours(HOURS);
    let recent = pushes(query, user, Some(place.project.id), since)?;
    let pushed = pushed(query, recent, &HashMap::from([(place.project.id, place)]))?;
    without_request(query, pushed)
}

/// A project with its full path.
#[derive(Clone)]
struct Place {
    project: Project,
    path: String,
}

impl From<ProjectWithNamespace> for Place {
    fn from(placed: ProjectWithNamespace) -> Self {
        Self { path: format!("{}/{}", placed.home.full_path, placed.project.path), project: placed.project }
    }
}

type Places = HashMap<ProjectId, Place>;

/// The newest push to a branch.
struct Push {
    project: ProjectId,
    branch: String,
    data: PushData,
    at: Timestamp,
}

/// A branch that the caller has pushed, as it is now.
struct Pushed {
    place: Place,
    branch: String,
    /// Its commit now.
    tip: String,
    /// The commit of the default branch.
    default_tip: Option<String>,
    /// True if the newest push has made the branch of commits that the default branch had already.
    is_without_commits: bool,
    title: Option<String>,
    at: Timestamp,
}

/// The pushes of a user since then, newest first: each branch once.
fn pushes(
    query: &mut Query<'_>,
    user: UserId,
    project: Option<ProjectId>,
    since: Timestamp,
) -> Result<Vec<Push>, AppError> {
    let mut known: HashSet<(ProjectId, String)> = HashSet::new();
    let mut pushes = Vec::new();
    for event in event::pushes_of(&mut query.tx, user, project, since, MOST_READ)? {
        let data: Option<PushData> = event.detail.as_deref().and_then(|text| serde_json::from_str(text).ok());
        let (Some(project), Some(data)) = (event.project, data) else { continue };
        // An event of several branches names none of them.
        let Some(branch) = data.ref_name.clone().filter(|_| data.ref_type == "branch") else { continue };
        if known.insert((project, branch.clone())) {
            pushes.push(Push { project, branch, data, at: event.at });
        }
    }
    Ok(pushes)
}

/// The projects of these pushes to which the caller may still push.
fn places(query: &mut Query<'_>, pushes: &[Push]) -> Result<Places, AppError> {
    let ids: Vec<ProjectId> = pushes.iter().map(|push| push.project).collect::<HashSet<_>>().into_iter().collect();
    if ids.is_empty() {
        return Ok(Places::new());
    }
    let (viewer, today) = (query.viewer(), query.today());
    let readable = project::readable_code(&mut query.tx, viewer, &ids, today)?;
    let writable = project::with_level(&mut query.tx, viewer, AccessLevel::Developer, &ids, today)?;
    let may_push = |id: &ProjectId| readable.contains(id) && writable.contains(id);
    let found = project::by_ids(&mut query.tx, &ids)?.into_iter().map(Place::from);
    let found = found.filter(|place| may_push(&place.project.id) && !place.project.archived);
    Ok(found.map(|place| (place.project.id, place)).collect())
}

/// The branches of these pushes that are still there.
fn pushed(query: &mut Query<'_>, pushes: Vec<Push>, places: &Places) -> Result<Vec<Pushed>, AppError> {
    let pushes: Vec<(Push, Place)> =
        pushes.into_iter().filter_map(|push| places.get(&push.project).cloned().map(|place| (push, place))).collect();
    if pushes.is_empty() {
        return Ok(Vec::new());
    }
    let default_of = |place: &Place| Some((place.project.id, full_name(place.project.default_branch.as_deref()?)));
    let named = pushes.iter().map(|(push, _)| (push.project, full_name(&push.branch)));
    let usual = pushes.iter().filter_map(|(_, place)| default_of(place));
    let wanted: HashSet<(ProjectId, String)> = named.chain(usual).collect();
    let tips = repository::stored_refs_named(&mut query.tx, &wanted.into_iter().collect::<Vec<_>>())?;
    let now = |(push, place): (Push, Place)| {
        let Push { project, branch, data, at } = push;
        let tip = tips.get(&(project, full_name(&branch)))?.clone();
        Some(Pushed {
            default_tip: default_of(&place).and_then(|name| tips.get(&name)).cloned(),
            is_without_commits: data.has_made_nothing_new() && data.commit_to.as_ref() == Some(&tip),
            title: data.commit_title.filter(|_| data.commit_to.as_ref() == Some(&tip)),
            branch,
            place,
            tip,
            at,
        })
    };
    Ok(pushes.into_iter().filter_map(now).collect())
}

fn full_name(branch: &str) -> String {
    format!("refs/heads/{branch}")
}

/// Those that a merge request could offer: not the default branch nor one without commits of its own, and not those that
/// one offers already, or has offered as they are now.
fn without_request(query: &mut Query<'_>, pushed: Vec<Pushed>) -> Result<Vec<PushedBranch>, AppError> {
    let may_be_offered = |one: &Pushed| {
        one.default_tip.as_ref() != Some(&one.tip) && !one.is_without_commits && one.place.project.has(&MERGE_REQUESTS)
    };
    let pushed: Vec<Pushed> = pushed.into_iter().filter(may_be_offered).collect();
    if pushed.is_empty() {
        return Ok(Vec::new());
    }
    let branches: Vec<(ProjectId, String)> =
        pushed.iter().map(|one| (one.place.project.id, one.branch.clone())).collect();
    let heads: Vec<String> = pushed.iter().map(|one| one.tip.clone()).collect();
    let offered = requests::sources_with_request(&mut query.tx, &branches, &heads)?;
    let is_free = |one: &Pushed| !offered.contains(&(one.place.project.id, one.branch.clone()));
    let view = |one: Pushed| PushedBranch {
        project: one.place.project.id,
        project_path: one.place.path,
        name: one.branch,
        title: one.title,
        at: one.at,
        tip: one.tip,
        default_tip: one.default_tip,
    };
    Ok(pushed.into_iter().filter(is_free).map(view).collect())
}

/// The failed pipelines of the heads of these branches, and of those of the open merge requests of a user.
fn failed(query: &mut Query<'_>, user: UserId, pushed: &[Pushed]) -> Result<Vec<FailedPipeline>, AppError> {
    let head = |project, branch, sha| HeadOf { project, branch, sha };
    let own = requests::open_heads_of(&mut query.tx, user, MOST_READ)?;
    let own = own.into_iter().map(|(project, branch, sha)| head(project, branch, sha));
    let titles: HashMap<&str, &String> =
        pushed.iter().filter_map(|one| Some((one.tip.as_str(), one.title.as_ref()?))).collect();
    let pushed = pushed.iter().map(|one| head(one.place.project.id, one.branch.clone(), one.tip.clone()));
    let heads: HashSet<HeadOf> = own.chain(pushed).collect();
    let shown = shown_projects(query, &heads)?;
    let asked: Vec<HeadOf> = heads.into_iter().filter(|head| shown.contains_key(&head.project)).collect();
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let newest = pipeline::newest_pipelines_of_heads(&mut query.tx, &asked)?;
    let newest = asked.iter().filter_map(|head| newest.get(head));
    let mut failed: Vec<Pipeline> = newest.filter(|one| one.status == JobStatus::Failed).cloned().collect();
    failed.sort_by_key(|pipeline| std::cmp::Reverse(pipeline.id));
    let view = |pipeline: Pipeline| {
        Some(FailedPipeline {
            title: titles.get(pipeline.sha.as_str()).map(|title| (*title).clone()),
            id: pipeline.id,
            project_path: shown.get(&pipeline.project)?.path.clone(),
            branch: pipeline.ref_name,
            at: pipeline.finished_at.unwrap_or(pipeline.updated_at),
        })
    };
    Ok(failed.into_iter().filter_map(view).collect())
}

/// The projects of these heads, except archived ones, whose pipelines the caller may see.
fn shown_projects(query: &mut Query<'_>, heads: &HashSet<HeadOf>) -> Result<Places, AppError> {
    let ids: Vec<ProjectId> = heads.iter().map(|head| head.project).collect::<HashSet<_>>().into_iter().collect();
    let found = pipelines::shown_of(query, &ids)?.into_iter().map(Place::from);
    Ok(found.filter(|place| !place.project.archived).map(|place| (place.project.id, place)).collect())
}

//! Everything that waits for a user: reviews, assigned work, failed pipelines, mentions, and branches without a merge request.

use std::collections::{HashMap, HashSet};

use tenon_domain::access::AccessLevel;
use tenon_domain::id::{PipelineId, ProjectId, UserId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::pipeline::JobStatus;
use tenon_domain::project::{Project, ProjectAction};
use tenon_domain::time::Timestamp;
use tenon_domain::todo::TodoAction;
use tenon_storage::issuable::{self as issuables, BranchFilter, IssuableFilter, IssuableSet, VisibleIssuables};
use tenon_storage::pipeline::{self, HeadOf, Pipeline};
use tenon_storage::project::{self, ProjectWithNamespace};
use tenon_storage::{event, merge_request as requests, repository};

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::issuable::{AssigneeWish, IssuableOrder, IssuableView, ListIssuables, StateFilter};
use crate::merge_request::MergeRequestView;
use crate::policy::reference::Reference;
use crate::repository::refs::ref_updates::PushData;
use crate::todo::{ListTodos, TodoView};
use crate::{issue, merge_request, todo};

/// The days for which a push makes its branch count as a branch of the user.
const DAYS: i64 = 14;
/// The hours after a push in which its project suggests a merge request.
const HOURS: i64 = 2;
/// The most pushes that are read, newest first; as many open merge requests of the user.
const MOST_READ: i64 = 100;
/// The most branches that one project suggests at once.
const MOST_SUGGESTED: usize = 3;

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
    let pushed = pushed(query, user, None, query.now - chrono::Duration::days(DAYS))?;
    Ok(Dashboard {
        reviews: merge_request::list(query, &asked)?,
        issues: issue::list(query, &assigned)?,
        merge_requests: merge_request::list(query, &assigned)?,
        todos: todo::list(query, &others, PageRequest::new(None, Some(most)))?,
        failed: failed(query, user, &pushed)?,
        branches: without_request(query, pushed)?,
    })
}

/// The branches of a project to which the caller has pushed in the last hours, and which have no merge request.
pub fn just_pushed(query: &mut Query<'_>, project: &Reference) -> Result<Vec<PushedBranch>, AppError> {
    let Some(user) = query.caller.user.as_ref().map(|user| user.id) else { return Ok(Vec::new()) };
    let id = query.project(project, ProjectAction::Read)?.project.id;
    let pushed = pushed(query, user, Some(id), query.now - chrono::Duration::hours(HOURS))?;
    let mut found = without_request(query, pushed)?;
    found.truncate(MOST_SUGGESTED);
    Ok(found)
}

/// A branch that the caller has pushed, as it is now.
struct Pushed {
    placed: ProjectWithNamespace,
    branch: String,
    /// Its commit now.
    tip: String,
    title: Option<String>,
    at: Timestamp,
}

impl Pushed {
    fn head(&self) -> HeadOf {
        HeadOf { project: self.placed.project.id, branch: self.branch.clone(), sha: self.tip.clone() }
    }
}

/// The branches to which a user has pushed since then, in projects to which the user may push. Each branch once, newest
/// push first.
fn pushed(
    query: &mut Query<'_>,
    user: UserId,
    project: Option<ProjectId>,
    since: Timestamp,
) -> Result<Vec<Pushed>, AppError> {
    let events = event::pushes_of(&mut query.tx, user, project, since, MOST_READ)?;
    let mut known: HashSet<(ProjectId, String)> = HashSet::new();
    let mut branches: Vec<(ProjectId, PushData, Timestamp)> = Vec::new();
    for event in events {
        let push: Option<PushData> = event.detail.as_deref().and_then(|text| serde_json::from_str(text).ok());
        let (Some(project), Some(push)) = (event.project, push) else { continue };
        if push.ref_type == "branch" && known.insert((project, push.ref_name.clone())) {
            branches.push((project, push, event.at));
        }
    }
    if branches.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<ProjectId> = branches.iter().map(|(id, ..)| *id).collect::<HashSet<_>>().into_iter().collect();
    let (viewer, today) = (query.viewer(), query.today());
    let readable = project::readable_code(&mut query.tx, viewer, &ids, today)?;
    let writable = project::with_level(&mut query.tx, viewer, AccessLevel::Developer, &ids, today)?;
    let placed: HashMap<ProjectId, ProjectWithNamespace> = project::by_ids(&mut query.tx, &ids)?
        .into_iter()
        .filter(|found| readable.contains(&found.project.id) && writable.contains(&found.project.id))
        .filter(|found| !found.project.archived)
        .map(|found| (found.project.id, found))
        .collect();
    let wanted: Vec<(ProjectId, String)> =
        branches.iter().map(|(id, push, _)| (*id, full_name(&push.ref_name))).collect();
    let tips = repository::stored_refs_named(&mut query.tx, &wanted)?;
    let now = |(id, push, at): (ProjectId, PushData, Timestamp)| {
        let tip = tips.get(&(id, full_name(&push.ref_name)))?.clone();
        let title = push.commit_title.filter(|_| push.commit_to.as_ref() == Some(&tip));
        Some(Pushed { placed: placed.get(&id)?.clone(), branch: push.ref_name, tip, title, at })
    };
    Ok(branches.into_iter().filter_map(now).collect())
}

fn full_name(branch: &str) -> String {
    format!("refs/heads/{branch}")
}

fn path(placed: &ProjectWithNamespace) -> String {
    format!("{}/{}", placed.home.full_path, placed.project.path)
}

/// Those that a merge request could offer: not the default branch nor its commit, and not those that one offers already,
/// or has offered as they are now.
fn without_request(query: &mut Query<'_>, pushed: Vec<Pushed>) -> Result<Vec<PushedBranch>, AppError> {
    if pushed.is_empty() {
        return Ok(Vec::new());
    }
    let branches: Vec<(ProjectId, String)> =
        pushed.iter().map(|one| (one.placed.project.id, one.branch.clone())).collect();
    let heads: Vec<String> = pushed.iter().map(|one| one.tip.clone()).collect();
    let offered = requests::sources_with_request(&mut query.tx, &branches, &heads)?;
    let usual = |project: &Project| Some((project.id, full_name(project.default_branch.as_deref()?)));
    let wanted: Vec<(ProjectId, String)> = pushed.iter().filter_map(|one| usual(&one.placed.project)).collect();
    let tips = repository::stored_refs_named(&mut query.tx, &wanted)?;
    let is_free = |one: &Pushed| {
        let project = &one.placed.project;
        project.features.merge_requests_enabled
            && project.default_branch.as_deref() != Some(one.branch.as_str())
            && usual(project).and_then(|name| tips.get(&name)) != Some(&one.tip)
            && !offered.contains(&(project.id, one.branch.clone()))
    };
    let view =
        |one: Pushed| PushedBranch { project_path: path(&one.placed), name: one.branch, title: one.title, at: one.at };
    Ok(pushed.into_iter().filter(is_free).map(view).collect())
}

/// The failed pipelines of the heads of these branches, and of those of the open merge requests of a user.
fn failed(query: &mut Query<'_>, user: UserId, pushed: &[Pushed]) -> Result<Vec<FailedPipeline>, AppError> {
    let (viewer, today) = (query.viewer(), query.today());
    let visible =
        VisibleIssuables::resolve(&mut query.tx, IssuableKind::MergeRequest, viewer, IssuableSet::All, today)?;
    let own =
        IssuableFilter { authors: vec![user], state: Some(StateFilter::Opened), ..IssuableFilter::new(visible, today) };
    let newest = PageRequest::new(None, Some(MOST_READ));
    let own = issuables::list(&mut query.tx, &own, IssuableOrder::CreatedAt, true, newest)?.items;
    let own: Vec<_> = own.into_iter().map(|one| one.id).collect();
    let mut heads: HashSet<HeadOf> = pushed.iter().map(Pushed::head).collect();
    for request in requests::by_ids(&mut query.tx, &own)?.into_values() {
        let (Some(project), Some(sha)) = (request.source_project, request.head().map(str::to_owned)) else { continue };
        heads.insert(HeadOf { project, branch: request.source_branch, sha });
    }
    let shown = shown_projects(query, &heads)?;
    let asked: Vec<HeadOf> = heads.into_iter().filter(|head| shown.contains_key(&head.project)).collect();
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let newest = pipeline::newest_pipelines_of_heads(&mut query.tx, &asked)?;
    let mut failed: Vec<Pipeline> = asked
        .iter()
        .filter_map(|head| newest.get(head))
        .filter(|one| one.status == JobStatus::Failed)
        .cloned()
        .collect();
    failed.sort_by_key(|pipeline| std::cmp::Reverse(pipeline.id));
    let view = |pipeline: Pipeline| {
        Some(FailedPipeline {
            id: pipeline.id,
            project_path: path(shown.get(&pipeline.project)?),
            branch: pipeline.ref_name,
            at: pipeline.finished_at.unwrap_or(pipeline.updated_at),
        })
    };
    Ok(failed.into_iter().filter_map(view).collect())
}

/// The projects of these heads whose pipelines the caller may see (`shared/views/pipelines.rs`, `may_see`).
fn shown_projects(
    query: &mut Query<'_>,
    heads: &HashSet<HeadOf>,
) -> Result<HashMap<ProjectId, ProjectWithNamespace>, AppError> {
    let ids: Vec<ProjectId> = heads.iter().map(|head| head.project).collect::<HashSet<_>>().into_iter().collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let (viewer, today) = (query.viewer(), query.today());
    let visible = project::visible_of(&mut query.tx, viewer, &ids, today)?;
    let reporting = project::with_level(&mut query.tx, viewer, AccessLevel::Reporter, &ids, today)?;
    let may_see = |project: &Project| {
        let is_open = project.features.public_jobs || reporting.contains(&project.id);
        visible.contains(&project.id) && project.features.jobs_enabled && is_open && !project.archived
    };
    let found = project::by_ids(&mut query.tx, &ids)?.into_iter().filter(|placed| may_see(&placed.project));
    Ok(found.map(|placed| (placed.project.id, placed)).collect())
}

//! Issues, and what merge requests share with them, with what answers show of them.

use std::collections::{HashMap, HashSet};

use tenon_domain::id::{IssuableId, LabelId, MilestoneId, ProjectId, UserId};
use tenon_domain::issuable::{Issuable, IssuableKind, State};
use tenon_domain::milestone::Milestone;
use tenon_domain::time_tracking::human_in;
use tenon_storage::issuable::{self, IssuableSet, VisibleIssuables};
use tenon_storage::{label, merge_request, milestone, project};

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::precondition::text_version;
use crate::shared::issuable::milestones::MilestoneView;
use crate::shared::views::user_ref::UserRef;

/// A label, as issues show it to those who ask for more than its name.
#[derive(Debug, Clone)]
pub struct LabelDetail {
    /// Its id.
    pub id: LabelId,
    /// Its name.
    pub name: String,
    /// `#RRGGBB`.
    pub color: String,
    /// Its description.
    pub description: Option<String>,
    /// The same as HTML; empty if there is none.
    pub description_html: String,
    /// Black or white: what can be read on the colour.
    pub text_color: &'static str,
}

/// An issue, or what a merge request shares with one, as answers show it.
#[derive(Debug, Clone)]
pub struct IssuableView {
    /// The issue or merge request.
    pub issuable: Issuable,
    /// The full path of its project.
    pub project_path: String,
    /// The names of its labels, in alphabetical order.
    pub labels: Vec<String>,
    /// The labels themselves, if they were asked for.
    pub label_details: Option<Vec<LabelDetail>>,
    /// Its milestone.
    pub milestone: Option<MilestoneView>,
    /// Who is to do it.
    pub assignees: Vec<UserRef>,
    /// Who opened it.
    pub author: Option<UserRef>,
    /// Who closed it.
    pub closed_by: Option<UserRef>,
    /// The issue in which it was continued, if the caller may see that.
    pub moved_to: Option<IssuableId>,
    /// How many of the merge requests that close it, or have closed it, the caller may see; 0 for merge requests.
    pub merge_requests_count: i64,
    /// True if the caller is notified of changes; on single issues.
    pub subscribed: Option<bool>,
    /// Task-list items in the description, and how many are ticked.
    pub tasks: (i64, i64),
    /// The estimate, as people read it.
    pub human_time_estimate: Option<String>,
    /// The time spent, as people read it.
    pub human_total_time_spent: Option<String>,
    /// Its page.
    pub web_url: String,
    /// Its address in the API.
    pub api_url: String,
    /// The address of its project in the API.
    pub project_api_url: String,
}

impl IssuableView {
    /// The digest of its title and description, so that a change can name the version that the caller has read.
    pub fn text_version(&self) -> String {
        text_version(&self.issuable)
    }
}

/// How much of an issue is wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Detail {
    /// The labels with their colours.
    pub labels: bool,
    /// True if the caller is subscribed.
    pub subscribed: bool,
}

/// The views of `issues`, in their order.
pub(crate) fn views(
    query: &mut Query<'_>,
    issues: Vec<Issuable>,
    detail: Detail,
) -> Result<Vec<IssuableView>, AppError> {
    if issues.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<IssuableId> = issues.iter().map(|issue| issue.id).collect();
    let mut labels = issuable::label_names(&mut query.tx, &ids)?;
    let mut assignees = issuable::assignees(&mut query.tx, &ids)?;
    let projects: Vec<ProjectId> = issues.iter().map(|issue| issue.project).collect();
    let paths = project::full_paths(&mut query.tx, &projects)?;
    let subscribed = match query.viewer().user().filter(|_| detail.subscribed) {
        Some(user) => Some(issuable::subscribed_of(&mut query.tx, &issues, user)?),
        None => None,
    };
    let milestones = milestones_of(query, &issues)?;
    let people = UserRef::of(query, people_of(&issues, &assignees))?;
    let visible_targets = visible_targets(query, &issues)?;
    let closing = closing(query, &issues)?;
    let mut details = if detail.labels { Some(label_details(query, &labels)?) } else { None };
    let in_hours = query.settings()?.times_in_hours;
    let mut views = Vec::with_capacity(issues.len());
    for issue in issues {
        let links = query.app.links();
        let project_path = paths.get(&issue.project).cloned().unwrap_or_default();
        let closed_by = match issue.state {
            State::Closed { by, .. } => by.and_then(|user| people.get(&user).cloned()),
            State::Opened | State::Locked | State::Merged => None,
        };
        let tasks = issue.description.as_deref().map(tenon_markdown::tasks);
        let named = labels.remove(&issue.id).unwrap_or_default();
        views.push(IssuableView {
            label_details: details
                .as_mut()
                .map(|known| named.iter().filter_map(|(id, _)| known.get(id).cloned()).collect()),
            labels: named.into_iter().map(|(_, name)| name).collect(),
            milestone: issue.milestone.and_then(|id| milestones.get(&id).cloned()),
            assignees: assignees
                .remove(&issue.id)
                .unwrap_or_default()
                .iter()
                .filter_map(|user| people.get(user).cloned())
                .collect(),
            author: people.get(&issue.author).cloned(),
            closed_by,
            moved_to: issue.moved_to.filter(|target| visible_targets.contains(target)),
            merge_requests_count: closing.get(&issue.id).copied().unwrap_or_default(),
            subscribed: subscribed.as_ref().map(|ids| ids.contains(&issue.id)),
            tasks: tasks.map_or((0, 0), |tasks| (tasks.count, tasks.completed)),
            human_time_estimate: human_in(issue.time_estimate, in_hours),
            human_total_time_spent: human_in(issue.total_time_spent, in_hours),
            web_url: links.issuable(issue.kind, &project_path, issue.iid),
            api_url: links.api_issuable(issue.kind, issue.project, issue.iid),
            project_api_url: links.api_project(issue.project),
            project_path,
            issuable: issue,
        });
    }
    Ok(views)
}

/// The view of one issue, with all there is to it.
pub(crate) fn one(query: &mut Query<'_>, issue: Issuable) -> Result<IssuableView, AppError> {
    let detail = Detail { subscribed: true, ..Detail::default() };
    views(query, vec![issue], detail)?.pop().ok_or(AppError::NotFound(Missing::Record))
}

fn milestones_of(query: &mut Query<'_>, issues: &[Issuable]) -> Result<HashMap<MilestoneId, MilestoneView>, AppError> {
    let ids: Vec<MilestoneId> = issues.iter().filter_map(|issue| issue.milestone).collect();
    let found: Vec<Milestone> = milestone::by_ids(&mut query.tx, &ids)?.into_values().collect();
    let views = crate::shared::issuable::milestones::views(query, found)?;
    Ok(views.into_iter().map(|view| (view.milestone.id, view)).collect())
}

fn people_of(issues: &[Issuable], assignees: &HashMap<IssuableId, Vec<UserId>>) -> Vec<UserId> {
    let closers = issues.iter().filter_map(|issue| match issue.state {
        State::Closed { by, .. } => by,
        State::Opened | State::Locked | State::Merged => None,
    });
    issues.iter().map(|issue| issue.author).chain(closers).chain(assignees.values().flatten().copied()).collect()
}

/// Those issues, in which some of these were continued, that the caller may see.
fn visible_targets(query: &mut Query<'_>, issues: &[Issuable]) -> Result<HashSet<IssuableId>, AppError> {
    let targets: Vec<IssuableId> = issues.iter().filter_map(|issue| issue.moved_to).collect();
    visible(query, &targets)
}

/// How many merge requests close each of these issues, as far as the caller may see them.
fn closing(query: &mut Query<'_>, issues: &[Issuable]) -> Result<HashMap<IssuableId, i64>, AppError> {
    let (viewer, today) = (query.viewer(), query.today());
    let issues = issues.iter().filter(|issue| issue.kind == IssuableKind::Issue);
    let ids: Vec<IssuableId> = issues.map(|issue| issue.id).collect();
    // One statement if no merge request closes any of them, else three, however many there are.
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    Ok(merge_request::count_closing(&mut query.tx, &ids, viewer, today)?)
}

/// Those of these issues and merge requests that the caller may see, wherever they are.
pub(crate) fn visible(query: &mut Query<'_>, ids: &[IssuableId]) -> Result<HashSet<IssuableId>, AppError> {
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let mut seen = HashSet::new();
    for reach in reaches(query)? {
        seen.extend(issuable::visible_of(&mut query.tx, &reach, ids)?);
    }
    Ok(seen)
}

/// All issues and all merge requests that the caller may see.
pub(crate) fn reaches(query: &mut Query<'_>) -> Result<Vec<VisibleIssuables>, AppError> {
    let (viewer, today) = (query.viewer(), query.today());
    let kinds = IssuableKind::ALL.iter();
    let found = kinds.map(|kind| VisibleIssuables::resolve(&mut query.tx, *kind, viewer, IssuableSet::All, today));
    Ok(found.collect::<Result<_, _>>()?)
}

fn label_details(
    query: &mut Query<'_>,
    labels: &HashMap<IssuableId, Vec<(LabelId, String)>>,
) -> Result<HashMap<LabelId, LabelDetail>, AppError> {
    let ids: Vec<LabelId> = labels.values().flatten().map(|(id, _)| *id).collect();
    let found = label::by_ids(&mut query.tx, &ids)?;
    let detail = |label: tenon_domain::label::Label| LabelDetail {
        description_html: crate::shared::issuable::labels::description_html(query, &label),
        id: label.id,
        text_color: tenon_domain::label::text_color(&label.color),
        name: label.name,
        color: label.color,
        description: label.description,
    };
    Ok(found.into_iter().map(|(id, label)| (id, detail(label))).collect())
}

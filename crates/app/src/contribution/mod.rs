//! Contribution events.

mod stream;

use std::collections::{BTreeMap, HashMap};

use tenon_domain::access::AccessLevel;
use tenon_domain::contribution::{Contribution, ContributionAction, ContributionTarget, matching, of_kind};
use tenon_domain::event::{Event, EventKind};
use tenon_domain::group::GroupAction;
use tenon_domain::id::{EventId, IssuableId, MilestoneId, NoteId, ProjectId, UserId};
use tenon_domain::issuable::Issuable;
use tenon_domain::milestone::Milestone;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::time::{Date, Days, Timestamp};
use tenon_domain::user::{UserAction, sees_activity};
use tenon_storage::access::Membership;
use tenon_storage::event::{self, ContributionFilter};
use tenon_storage::project::{ProjectFilter, ProjectSet, ProjectWithNamespace};
use tenon_storage::{issuable, milestone, note, project};

pub use self::stream::{ContributionStream, FollowContributions, StreamStep, follow};
use crate::core::app::Query;
use crate::core::error::AppError;
use crate::note::NoteView;
use crate::policy::reference::Reference;
use crate::project::{ListProjects, ProjectView};
use crate::repository::refs::push_events::PushData;
use crate::shared::issuable::view::reaches;
use crate::shared::views::user_ref::UserRef;

/// A contribution as answers show it: what happened, to what, by whom.
#[derive(Debug, Clone)]
pub struct ContributionView {
    /// Its id.
    pub id: EventId,
    /// The kind of contribution.
    pub contribution: Contribution,
    /// The pushed commits.
    pub push: Option<PushData>,
    /// In which project.
    pub project: Option<ProjectId>,
    /// The user who did it.
    pub author: Option<UserRef>,
    /// The id and, if it has one, the number of what it is about.
    pub target: Option<(i64, i64)>,
    /// The title of that; for comments, of what was commented on.
    pub target_title: Option<String>,
    /// The comment.
    pub note: Option<NoteView>,
    /// When it happened.
    pub created_at: Timestamp,
}

/// A request for contributions.
#[derive(Debug, Clone, Default)]
pub struct ListContributions {
    /// Of this kind.
    pub action: Option<ContributionAction>,
    /// About something of this kind.
    pub target: Option<ContributionTarget>,
    /// Before this day.
    pub before: Option<Date>,
    /// After this day.
    pub after: Option<Date>,
    /// Oldest first.
    pub ascending: bool,
    /// Which page.
    pub page: PageRequest,
}

/// The caller's own contributions.
pub fn own(query: &mut Query<'_>, request: &ListContributions) -> Result<Page<ContributionView>, AppError> {
    let user = query.user()?.id;
    of(query, user, request)
}

/// The contributions of a user, in projects that the caller may see. A private profile shows none to others.
pub fn of_user(
    query: &mut Query<'_>,
    user: &Reference,
    request: &ListContributions,
) -> Result<Page<ContributionView>, AppError> {
    let account = query.account_named(user, UserAction::Read)?;
    if !sees_activity(query.viewer(), account.id, account.private_profile) {
        return Ok(Page::empty(request.page));
    }
    of(query, account.id, request)
}

/// The contributions in a project.
pub fn of_project(
    query: &mut Query<'_>,
    project: &Reference,
    request: &ListContributions,
) -> Result<Page<ContributionView>, AppError> {
    let found = query.project(project, ProjectAction::Read)?;
    page_of(query, None, vec![found.project.id], request, None)
}

/// The contributions in a group and in what is below it.
pub fn of_group(
    query: &mut Query<'_>,
    group: &Reference,
    request: &ListContributions,
) -> Result<Page<ContributionView>, AppError> {
    let id = query.group(group, GroupAction::Read)?.group.id();
    let (viewer, today) = (query.viewer(), query.today());
    let projects = project::visible_ids(&mut query.tx, viewer, ProjectSet::Below(id), today)?;
    page_of(query, None, projects, request, None)
}

/// The contributions in the projects of which the caller is a member.
pub fn of_memberships(query: &mut Query<'_>, request: &ListContributions) -> Result<Page<ContributionView>, AppError> {
    let (user, today) = (query.user()?.id, query.today());
    let membership = Some(Membership { user, at_least: AccessLevel::Guest, today });
    of_projects(query, |filter| filter.membership = membership, request)
}

/// The contributions in the projects that the caller has starred.
pub fn of_starred(query: &mut Query<'_>, request: &ListContributions) -> Result<Page<ContributionView>, AppError> {
    let user = query.user()?.id;
    of_projects(query, |filter| filter.starred_by = Some(user), request)
}

fn of_projects(
    query: &mut Query<'_>,
    narrow: impl FnOnce(&mut ProjectFilter),
    request: &ListContributions,
) -> Result<Page<ContributionView>, AppError> {
    let mut filter = ProjectFilter::new(query.viewer(), query.today(), ProjectSet::All);
    narrow(&mut filter);
    let projects = project::ids(&mut query.tx, &filter)?;
    page_of(query, None, projects, request, None)
}

/// Contributions that are counted by day.
const MOST_COUNTED: i64 = 20_000;

/// How many contributions a user has made on each day from `first` on on which there were any, in projects that the caller
/// may see; the newest 20,000 count. A private profile shows none to others.
pub fn days_of_user(query: &mut Query<'_>, user: &Reference, first: Date) -> Result<BTreeMap<Date, i64>, AppError> {
    let account = query.account_named(user, UserAction::Read)?;
    if !sees_activity(query.viewer(), account.id, account.private_profile) {
        return Ok(BTreeMap::new());
    }
    let projects = contributed_to(query, account.id)?;
    let request = ListContributions { after: first.checked_sub_days(Days::new(1)), ..ListContributions::default() };
    let filter = filter(query, Some(account.id), projects, &request, None)?;
    Ok(event::contributions_by_day(&mut query.tx, &filter, MOST_COUNTED)?)
}

/// The projects in which a user has made contributions that the caller may see; a private profile shows none to others.
pub fn projects_of_user(
    query: &mut Query<'_>,
    user: &Reference,
    request: &ListProjects,
) -> Result<Page<ProjectView>, AppError> {
    let account = query.account_named(user, UserAction::Read)?;
    if !sees_activity(query.viewer(), account.id, account.private_profile) {
        return Ok(Page::empty(request.page));
    }
    let projects = contributed_to(query, account.id)?;
    let filter = filter(query, Some(account.id), projects, &ListContributions::default(), None)?;
    let found = event::contributed_projects(&mut query.tx, &filter)?;
    crate::project::among(query, found, request)
}

/// The full paths of the projects that contributions of a page were made in, by id.
pub fn places(
    query: &mut Query<'_>,
    contributions: &[ContributionView],
) -> Result<HashMap<ProjectId, String>, AppError> {
    let ids: Vec<ProjectId> = contributions.iter().filter_map(|contribution| contribution.project).collect();
    let found = project::by_ids(&mut query.tx, &ids)?;
    let path = |placed: ProjectWithNamespace| {
        (placed.project.id, format!("{}/{}", placed.home.full_path, placed.project.path))
    };
    Ok(found.into_iter().map(path).collect())
}

/// The projects in which a user has contributed, as far as the caller may see them.
fn contributed_to(query: &mut Query<'_>, user: UserId) -> Result<Vec<ProjectId>, AppError> {
    let (viewer, today) = (query.viewer(), query.today());
    let projects = event::projects_of(&mut query.tx, user)?;
    Ok(project::visible_of(&mut query.tx, viewer, &projects, today)?.into_iter().collect())
}

fn of(query: &mut Query<'_>, user: UserId, request: &ListContributions) -> Result<Page<ContributionView>, AppError> {
    let projects = contributed_to(query, user)?;
    page_of(query, Some(user), projects, request, None)
}

fn page_of(
    query: &mut Query<'_>,
    author: Option<UserId>,
    projects: Vec<ProjectId>,
    request: &ListContributions,
    between: Option<(EventId, EventId)>,
) -> Result<Page<ContributionView>, AppError> {
    let filter = filter(query, author, projects, request, between)?;
    let found = event::contributions(&mut query.tx, &filter, !request.ascending, request.page)?;
    Ok(Page { items: views(query, found.items)?, total: found.total, request: found.request })
}

/// Which contributions are asked for, among those that the caller may see in these projects.
fn filter(
    query: &mut Query<'_>,
    author: Option<UserId>,
    projects: Vec<ProjectId>,
    request: &ListContributions,
    between: Option<(EventId, EventId)>,
) -> Result<ContributionFilter, AppError> {
    let midnight = |day: Date| day.and_time(chrono::NaiveTime::MIN).and_utc();
    let (viewer, today) = (query.viewer(), query.today());
    let code = project::readable_code(&mut query.tx, viewer, &projects, today)?;
    Ok(ContributionFilter {
        contributions: matching(request.action, request.target),
        author,
        projects,
        visible_issuables: reaches(query)?,
        code: code.into_iter().collect(),
        before: request.before.map(midnight),
        // The named day does not count: what follows it begins at the next midnight.
        from: request.after.and_then(|day| day.checked_add_days(Days::new(1))).map(midnight),
        between,
    })
}

/// The targets of the contributions of one page.
struct Targets {
    issues: HashMap<IssuableId, Issuable>,
    notes: HashMap<NoteId, NoteView>,
    milestones: HashMap<MilestoneId, Milestone>,
}

fn views(query: &mut Query<'_>, events: Vec<(EventId, Event)>) -> Result<Vec<ContributionView>, AppError> {
    let authors: Vec<UserId> = events.iter().filter_map(|(_, event)| author_of(event)).collect();
    let people = UserRef::of(query, authors)?;
    let targets = targets(query, &events)?;
    Ok(events.into_iter().filter_map(|(id, event)| view(id, event, &people, &targets)).collect())
}

fn view(id: EventId, event: Event, people: &HashMap<UserId, UserRef>, targets: &Targets) -> Option<ContributionView> {
    let contribution = of_kind(event.kind)?;
    let issue = event.issuable.and_then(|id| targets.issues.get(&id));
    let note = event.note.and_then(|id| targets.notes.get(&id)).cloned();
    let milestone = event.milestone.and_then(|id| targets.milestones.get(&id));
    let (target, target_title) = match contribution.target {
        Some(ContributionTarget::Issue | ContributionTarget::MergeRequest) => {
            (issue.map(|issue| (issue.id.get(), issue.iid.get())), issue.map(|issue| issue.title.clone()))
        }
        Some(ContributionTarget::Note) => {
            (event.note.map(|note| (note.get(), note.get())), issue.map(|issue| issue.title.clone()))
        }
        Some(ContributionTarget::Milestone) => (
            event.milestone.map(|id| (id.get(), milestone.map_or(id.get(), |milestone| milestone.iid.get()))),
            // Of a milestone that is gone, the event remembers the title.
            milestone.map(|milestone| milestone.title.clone()).or_else(|| event.detail.clone()),
        ),
        Some(ContributionTarget::Project | ContributionTarget::Snippet | ContributionTarget::User) | None => {
            (None, None)
        }
    };
    let push = match event.kind {
        EventKind::RefPushed => event.detail.as_deref().and_then(|text| serde_json::from_str(text).ok()),
        _ => None,
    };
    Some(ContributionView {
        id,
        contribution,
        push,
        project: event.project,
        author: author_of(&event).and_then(|user| people.get(&user).cloned()),
        target,
        target_title,
        note,
        created_at: event.at,
    })
}

fn author_of(event: &Event) -> Option<UserId> {
    if of_kind(event.kind)?.by_subject { event.user } else { event.actor }
}

fn targets(query: &mut Query<'_>, events: &[(EventId, Event)]) -> Result<Targets, AppError> {
    let issues: Vec<IssuableId> = events.iter().filter_map(|(_, event)| event.issuable).collect();
    let issues: HashMap<IssuableId, Issuable> =
        issuable::by_ids(&mut query.tx, &issues)?.into_iter().map(|issue| (issue.id, issue)).collect();
    let notes: Vec<NoteId> = events.iter().filter_map(|(_, event)| event.note).collect();
    let found = note::by_ids(&mut query.tx, &notes)?;
    let people = UserRef::of(query, found.values().map(|note| note.author).collect())?;
    let notes = found
        .into_values()
        .filter_map(|note| {
            let issue = issues.get(&note.issuable)?;
            let view = NoteView {
                resolved_by: None,
                author: people.get(&note.author).cloned(),
                noteable_kind: issue.kind,
                noteable_iid: issue.iid,
                confidential: issue.confidential,
                project: issue.project,
                // An activity names a comment, and shows no part of it that could be applied.
                suggestions: Vec::new(),
                note,
            };
            Some((view.note.id, view))
        })
        .collect();
    let milestones: Vec<MilestoneId> = events.iter().filter_map(|(_, event)| event.milestone).collect();
    let milestones = milestone::by_ids(&mut query.tx, &milestones)?;
    Ok(Targets { issues, notes, milestones })
}

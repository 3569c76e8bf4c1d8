//! Lists of issues (specification 2, Issue list filters; reference: issues-merge-requests-projects, sections 3.2 and 3.3).

use tenon_domain::group::GroupAction;
use tenon_domain::id::{MilestoneId, UserId};
use tenon_domain::issuable::{Issuable, IssuableKind};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::search::Search;
use tenon_domain::time::Timestamp;
use tenon_storage::issuable::{
    self, AssigneeFilter, IssuableFilter, IssuableOrder, IssuableReach, IssuableSet, LabelFilter, MilestoneFilter,
    StateFilter,
};
use tenon_storage::user;

use super::found::reach_of;
use super::view::{Detail, IssueView, views};
use crate::access::Reference;
use crate::context::Query;
use crate::error::AppError;
use crate::label::Of;

/// Whose issues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssueScope {
    /// Those that the caller opened.
    CreatedByMe,
    /// Those assigned to the caller.
    AssignedToMe,
    /// Everybody's.
    All,
}

/// Who is asked for as an assignee.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AssigneeWish {
    /// Whoever.
    #[default]
    Whatever,
    /// Nobody.
    Nobody,
    /// Somebody.
    Somebody,
    /// This user.
    User(UserId),
    /// All users of these names.
    Named(Vec<String>),
}

/// A request for issues.
#[derive(Debug, Clone)]
pub struct ListIssues {
    /// Whose.
    pub scope: IssueScope,
    /// In this state.
    pub state: Option<StateFilter>,
    /// With these labels.
    pub labels: LabelFilter,
    /// With this milestone.
    pub milestone: MilestoneFilter,
    /// Opened by this user.
    pub author: Option<UserId>,
    /// Opened by the user of this name.
    pub author_username: Option<String>,
    /// Assigned to whom.
    pub assignee: AssigneeWish,
    /// To which the caller has reacted so; `Any` where they have reacted at all.
    pub my_reaction_emoji: Option<String>,
    /// With one of these numbers.
    pub iids: Option<Vec<i64>>,
    /// Title or description.
    pub search: Option<String>,
    /// Confidential ones only, or none of them.
    pub confidential: Option<bool>,
    /// From this moment on.
    pub created_after: Option<Timestamp>,
    /// Up to this moment.
    pub created_before: Option<Timestamp>,
    /// From this moment on.
    pub updated_after: Option<Timestamp>,
    /// Up to this moment.
    pub updated_before: Option<Timestamp>,
    /// Labels with their colours.
    pub with_labels_details: bool,
    /// Order.
    pub order_by: IssuableOrder,
    /// Falling instead of rising.
    pub descending: bool,
    /// Which page.
    pub page: PageRequest,
}

/// Issues everywhere that the caller may see.
pub fn list(query: &mut Query<'_>, request: &ListIssues) -> Result<Page<IssueView>, AppError> {
    let (viewer, today) = (query.viewer(), query.today());
    let reach = IssuableReach::resolve(&mut query.tx, viewer, IssuableSet::All, today)?;
    page_of(query, reach, request)
}

/// Issues of a group and of what is below it.
pub fn of_group(query: &mut Query<'_>, group: &Reference, request: &ListIssues) -> Result<Page<IssueView>, AppError> {
    let group = query.group(group, GroupAction::Read)?.group.id();
    let (viewer, today) = (query.viewer(), query.today());
    let reach = IssuableReach::resolve(&mut query.tx, viewer, IssuableSet::Below(group), today)?;
    page_of(query, reach, request)
}

/// Issues of a project; none where they are switched off.
pub fn of_project(
    query: &mut Query<'_>,
    project: &Reference,
    request: &ListIssues,
) -> Result<Page<IssueView>, AppError> {
    let home = query.project(project, ProjectAction::Read)?;
    if !home.project.features.issues_enabled {
        return Ok(nothing(request.page));
    }
    page_of(query, reach_of(&home), request)
}

/// Issues with a milestone, those with the most important labels first (section 10.2).
pub fn of_milestone(
    query: &mut Query<'_>,
    of: &Of,
    id: MilestoneId,
    page: PageRequest,
) -> Result<Page<IssueView>, AppError> {
    let found = crate::milestone::find(query, of, id)?;
    let (viewer, today) = (query.viewer(), query.today());
    let set = match found.owner {
        tenon_domain::label::Owner::Group(group) => IssuableSet::Below(group),
        tenon_domain::label::Owner::Project(_) => IssuableSet::All,
    };
    let reach = IssuableReach::resolve(&mut query.tx, viewer, set, today)?;
    let filter =
        IssuableFilter { milestone: MilestoneFilter::Is(id), ..IssuableFilter::new(reach, IssuableKind::Issue, today) };
    let found = issuable::list(&mut query.tx, &filter, IssuableOrder::LabelPriority, false, page)?;
    viewed(query, found, Detail::default())
}

fn page_of(query: &mut Query<'_>, reach: IssuableReach, request: &ListIssues) -> Result<Page<IssueView>, AppError> {
    let Some(filter) = filter(query, reach, request)? else { return Ok(nothing(request.page)) };
    let found = issuable::list(&mut query.tx, &filter, request.order_by, request.descending, request.page)?;
    viewed(query, found, Detail { labels: request.with_labels_details, ..Detail::default() })
}

fn viewed(query: &mut Query<'_>, found: Page<Issuable>, detail: Detail) -> Result<Page<IssueView>, AppError> {
    Ok(Page { items: views(query, found.items, detail)?, total: found.total, request: found.request })
}

const fn nothing(page: PageRequest) -> Page<IssueView> {
    Page { items: Vec::new(), total: 0, request: page }
}

/// `None` where nothing can match: somebody was named who does not exist.
fn filter(
    query: &mut Query<'_>,
    reach: IssuableReach,
    request: &ListIssues,
) -> Result<Option<IssuableFilter>, AppError> {
    let (me, today) = (query.user()?.id, query.today());
    let mut authors: Vec<UserId> = request.author.into_iter().collect();
    let mut assignees: Vec<UserId> = Vec::new();
    match request.scope {
        IssueScope::CreatedByMe => authors.push(me),
        IssueScope::AssignedToMe => assignees.push(me),
        IssueScope::All => {}
    }
    if let Some(name) = &request.author_username {
        let Some(user) = user::find_by_username(&mut query.tx, name)? else { return Ok(None) };
        authors.push(user.id);
    }
    let assignee = match &request.assignee {
        AssigneeWish::Whatever if assignees.is_empty() => AssigneeFilter::Whatever,
        AssigneeWish::Nobody if assignees.is_empty() => AssigneeFilter::Nobody,
        // Assigned to me, and to nobody.
        AssigneeWish::Nobody => return Ok(None),
        AssigneeWish::Somebody if assignees.is_empty() => AssigneeFilter::Somebody,
        AssigneeWish::Whatever | AssigneeWish::Somebody => AssigneeFilter::All(assignees),
        AssigneeWish::User(user) => {
            assignees.push(*user);
            AssigneeFilter::All(assignees)
        }
        AssigneeWish::Named(names) => {
            let found = user::by_usernames(&mut query.tx, names)?;
            let known = |name: &String| found.iter().any(|user| user.username.eq_ignore_ascii_case(name));
            if !names.iter().all(known) {
                return Ok(None);
            }
            assignees.extend(found.into_iter().map(|user| user.id));
            AssigneeFilter::All(assignees)
        }
    };
    let reaction = request.my_reaction_emoji.as_ref().map(|name| match name.to_lowercase().as_str() {
        "any" => (me, None),
        _ => (me, Some(tenon_markdown::emoji_name(name).map_or_else(|| name.clone(), ToOwned::to_owned))),
    });
    Ok(Some(IssuableFilter {
        state: request.state,
        labels: request.labels.clone(),
        milestone: request.milestone.clone(),
        authors,
        assignee,
        reaction,
        iids: request.iids.clone(),
        search: request.search.as_deref().and_then(Search::parse),
        confidential: request.confidential,
        created_after: request.created_after,
        created_before: request.created_before,
        updated_after: request.updated_after,
        updated_before: request.updated_before,
        ..IssuableFilter::new(reach, IssuableKind::Issue, today)
    }))
}

//! Lists of projects.

use std::collections::BTreeMap;

use tenon_domain::access::{AccessLevel, Viewer};
use tenon_domain::group::GroupAction;
use tenon_domain::id::ProjectId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::search::Search;
use tenon_domain::user::{UserAction, sees_activity};
use tenon_domain::visibility::Visibility;
use tenon_storage::access::Membership;
use tenon_storage::namespace;
use tenon_storage::project::{self, ProjectFilter, ProjectOrder, ProjectSet};

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::reference::Reference;
use crate::shared::views::project_view::{Detail, ProjectView, views};

/// A request for projects.
#[derive(Debug, Clone, Default)]
pub struct ListProjects {
    /// Archived ones only, or none of them.
    pub archived: Option<bool>,
    /// Of this visibility.
    pub visibility: Option<Visibility>,
    /// Path, name or description.
    pub search: Option<String>,
    /// True if the search also finds by the full path, and by the name of the namespace.
    pub search_namespaces: bool,
    /// Only the reduced view.
    pub simple: bool,
    /// Projects that the caller owns.
    pub owned: bool,
    /// Projects of which the caller is a member.
    pub membership: bool,
    /// Projects that the caller has starred.
    pub starred: bool,
    /// Projects with files in this language.
    pub language: Option<String>,
    /// Projects of this topic.
    pub topic: Option<String>,
    /// Projects in which the caller has at least this level.
    pub min_access_level: Option<AccessLevel>,
    /// With sizes.
    pub statistics: bool,
    /// With issues.
    pub with_issues_enabled: bool,
    /// With merge requests.
    pub with_merge_requests_enabled: bool,
    /// With custom attributes; administrators only.
    pub with_custom_attributes: bool,
    /// All these custom attributes; administrators only.
    pub custom_attributes: BTreeMap<String, String>,
    /// The order of the list.
    pub order_by: ProjectOrder,
    /// Falling instead of rising.
    pub descending: bool,
    /// Which page.
    pub page: PageRequest,
}

/// Which projects a group's list has besides its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupScope {
    /// Those of the groups below.
    pub include_subgroups: bool,
    /// Those shared with the group.
    pub with_shared: bool,
}

/// Projects that the caller may see.
pub fn list(query: &mut Query<'_>, request: ListProjects) -> Result<Page<ProjectView>, AppError> {
    page_of(query, ProjectSet::All, &request)
}

/// The direct forks of a project.
pub fn forks(query: &mut Query<'_>, source: &Reference, request: ListProjects) -> Result<Page<ProjectView>, AppError> {
    let found = query.project(source, ProjectAction::Read)?;
    page_of(query, ProjectSet::ForksOf(found.project.id), &request)
}

/// The personal projects of a user; a private profile shows none to others.
pub fn of_user(query: &mut Query<'_>, user: &Reference, request: ListProjects) -> Result<Page<ProjectView>, AppError> {
    let user = query.account_named(user, UserAction::Read)?;
    let home = namespace::of_user(&mut query.tx, user.id)?;
    match home {
        Some(home) if sees_activity(query.viewer(), user.id, user.private_profile) => {
            page_of(query, ProjectSet::In(home.id), &request)
        }
        Some(_) | None => Ok(Page { items: Vec::new(), total: 0, request: request.page }),
    }
}

/// The projects that a user has starred, as far as the caller may see them; a private profile shows none to others.
pub fn starred_by(
    query: &mut Query<'_>,
    user: &Reference,
    request: &ListProjects,
) -> Result<Page<ProjectView>, AppError> {
    let user = query.account_named(user, UserAction::Read)?;
    let filter = filter(query, ProjectSet::All, request);
    match filter.filter(|_| sees_activity(query.viewer(), user.id, user.private_profile)) {
        Some(filter) => listed(query, &ProjectFilter { starred_by: Some(user.id), ..filter }, request),
        None => Ok(Page { items: Vec::new(), total: 0, request: request.page }),
    }
}

/// Those of these projects that the caller may see.
pub(crate) fn among(
    query: &mut Query<'_>,
    ids: Vec<ProjectId>,
    request: &ListProjects,
) -> Result<Page<ProjectView>, AppError> {
    match filter(query, ProjectSet::All, request) {
        Some(filter) => listed(query, &ProjectFilter { among: Some(ids), ..filter }, request),
        None => Ok(Page { items: Vec::new(), total: 0, request: request.page }),
    }
}

/// The projects of a group. Archived ones are left out unless they are asked for.
pub fn of_group(
    query: &mut Query<'_>,
    group: &Reference,
    scope: GroupScope,
    request: ListProjects,
) -> Result<Page<ProjectView>, AppError> {
    let id = query.group(group, GroupAction::Read)?.group.id();
    let set = match (scope.include_subgroups, scope.with_shared) {
        (true, true) => ProjectSet::Around(id),
        (true, false) => ProjectSet::Below(id),
        (false, true) => ProjectSet::Group(id),
        (false, false) => ProjectSet::In(id),
    };
    let archived = Some(request.archived.unwrap_or(false));
    page_of(query, set, &ListProjects { archived, ..request })
}

fn page_of(query: &mut Query<'_>, set: ProjectSet, request: &ListProjects) -> Result<Page<ProjectView>, AppError> {
    let Some(filter) = filter(query, set, request) else {
        return Ok(Page { items: Vec::new(), total: 0, request: request.page });
    };
    listed(query, &filter, request)
}

fn listed(
    query: &mut Query<'_>,
    filter: &ProjectFilter,
    request: &ListProjects,
) -> Result<Page<ProjectView>, AppError> {
    let found = project::list(&mut query.tx, filter, request.order_by, request.descending, request.page)?;
    let detail = Detail {
        simple: request.simple,
        statistics: request.statistics,
        custom_attributes: request.with_custom_attributes,
        runners_token: false,
        license: false,
        permissions: None,
    };
    let items = views(query, found.items, detail)?;
    Ok(Page { items, total: found.total, request: found.request })
}

/// `None` if nothing can match: an anonymous caller asks for what is theirs.
fn filter(query: &Query<'_>, set: ProjectSet, request: &ListProjects) -> Option<ProjectFilter> {
    let (viewer, today) = (query.viewer(), query.today());
    // `owned` outranks `min_access_level`, which outranks `membership`.
    let at_least = match (request.owned, request.min_access_level, request.membership) {
        (true, _, _) => Some(AccessLevel::Owner),
        (false, Some(level), _) => Some(level),
        (false, None, true) => Some(AccessLevel::Guest),
        (false, None, false) => None,
    };
    let membership = match (at_least, viewer) {
        (None, _) => None,
        (Some(_), Viewer::Anonymous) => return None,
        (Some(at_least), Viewer::User { id, .. }) => Some(Membership { user: id, at_least, today }),
    };
    Some(ProjectFilter {
        archived: request.archived,
        visibility: request.visibility,
        search: request.search.as_deref().and_then(Search::parse),
        search_namespaces: request.search_namespaces,
        membership,
        starred_by: viewer.user().filter(|_| request.starred),
        language: request.language.clone(),
        topic: request.topic.clone(),
        with_issues: request.with_issues_enabled,
        with_merge_requests: request.with_merge_requests_enabled,
        custom_attributes: if query.is_admin() { request.custom_attributes.clone() } else { BTreeMap::new() },
        ..ProjectFilter::new(viewer, today, set)
    })
}

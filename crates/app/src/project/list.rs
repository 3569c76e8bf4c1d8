//! Lists of projects.

use std::collections::BTreeMap;

use tenon_domain::access::{AccessLevel, Viewer};
use tenon_domain::group::GroupAction;
use tenon_domain::id::ProjectId;
use tenon_domain::keyset::{KeysetPage, KeysetRequest, Listing};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::repository::STORAGE;
use tenon_domain::search::Search;
use tenon_domain::time::Timestamp;
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
    /// Projects of all these topics.
    pub topics: Vec<String>,
    /// Those that are neither archived nor about to be deleted, or the others. Outranks `archived`.
    pub active: Option<bool>,
    /// With greater ids only.
    pub id_after: Option<i64>,
    /// With smaller ids only.
    pub id_before: Option<i64>,
    /// Active then or later.
    pub last_activity_after: Option<Timestamp>,
    /// Active then or earlier.
    pub last_activity_before: Option<Timestamp>,
    /// Only those that the caller has imported.
    pub imported: bool,
    /// Whose repositories are in this place; administrators only.
    pub repository_storage: Option<String>,
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

impl ListProjects {
    /// True if all rows are sorted for a page, because no index has the order.
    #[must_use]
    pub fn reads_many_rows(&self) -> bool {
        self.order_by.keyed().is_none()
    }
}

/// Which projects a group's list has besides its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupScope {
    /// Those of the groups below.
    pub include_subgroups: bool,
    /// Those shared with the group.
    pub with_shared: bool,
}

/// The place of a list of projects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectPlace {
    /// Everywhere.
    Everywhere,
    /// The personal projects of a user; a private profile shows none to others.
    OfUser(Reference),
    /// A group. Archived projects are left out unless they are asked for.
    OfGroup(Reference, GroupScope),
    /// The direct forks of a project.
    ForksOf(Reference),
}

/// More topics than this no list is narrowed to: each is a condition of its own.
const MAX_TOPICS: usize = 20;

/// Projects of a place that the caller may see: the page that `request` names, or the part that `keyset` asks for. An order
/// that no index has, and a token of another list, are refused.
pub fn find(
    query: &mut Query<'_>,
    place: &ProjectPlace,
    request: ListProjects,
    keyset: Option<&KeysetRequest>,
) -> Result<Listing<ProjectView>, AppError> {
    let request = match place {
        ProjectPlace::OfGroup(..) => of_groups(request),
        ProjectPlace::Everywhere | ProjectPlace::OfUser(_) | ProjectPlace::ForksOf(_) => request,
    };
    let Some(keyset) = keyset else { return page_in(query, place, &request).map(Listing::Page) };
    let order = order_of(query, &request);
    let keyset = keyset.of(order.keyed(), request.descending, ProjectOrder::KEYED)?;
    let Some(filter) = filter_of(query, place, &request)? else {
        return Ok(Listing::KeysetPage(KeysetPage::empty()));
    };
    let found = project::walk(&mut query.tx, &filter, order, &keyset)?;
    let items = views(query, found.items, detail(&request))?;
    Ok(Listing::KeysetPage(KeysetPage { items, next: found.next }))
}

/// The projects of a place that are asked for; `None` if there can be none.
fn filter_of(
    query: &mut Query<'_>,
    place: &ProjectPlace,
    request: &ListProjects,
) -> Result<Option<ProjectFilter>, AppError> {
    match set_of(query, place)? {
        Some(set) => filter(query, set, request),
        None => Ok(None),
    }
}

/// The projects of a place, if the caller may know any of them.
fn set_of(query: &mut Query<'_>, place: &ProjectPlace) -> Result<Option<ProjectSet>, AppError> {
    Ok(match place {
        ProjectPlace::Everywhere => Some(ProjectSet::All),
        ProjectPlace::ForksOf(source) => {
            Some(ProjectSet::ForksOf(query.project(source, ProjectAction::Read)?.project.id))
        }
        ProjectPlace::OfUser(user) => {
            let user = query.account_named(user, UserAction::Read)?;
            let home = namespace::of_user(&mut query.tx, user.id)?;
            let home = home.filter(|_| sees_activity(query.viewer(), user.id, user.private_profile));
            home.map(|home| ProjectSet::In(home.id))
        }
        ProjectPlace::OfGroup(group, scope) => {
            let id = query.group(group, GroupAction::Read)?.group.id();
            Some(match (scope.include_subgroups, scope.with_shared) {
                (true, true) => ProjectSet::Around(id),
                (true, false) => ProjectSet::Below(id),
                (false, true) => ProjectSet::Group(id),
                (false, false) => ProjectSet::In(id),
            })
        }
    })
}

/// The request for the projects of a group.
fn of_groups(request: ListProjects) -> ListProjects {
    ListProjects { archived: Some(request.archived.unwrap_or(false)), ..request }
}

/// Projects that the caller may see.
pub fn list(query: &mut Query<'_>, request: ListProjects) -> Result<Page<ProjectView>, AppError> {
    page_in(query, &ProjectPlace::Everywhere, &request)
}

/// The direct forks of a project.
pub fn forks(query: &mut Query<'_>, source: &Reference, request: ListProjects) -> Result<Page<ProjectView>, AppError> {
    page_in(query, &ProjectPlace::ForksOf(source.clone()), &request)
}

/// The personal projects of a user; a private profile shows none to others.
pub fn of_user(query: &mut Query<'_>, user: &Reference, request: ListProjects) -> Result<Page<ProjectView>, AppError> {
    page_in(query, &ProjectPlace::OfUser(user.clone()), &request)
}

/// The projects that a user has starred, as far as the caller may see them; a private profile shows none to others.
pub fn starred_by(
    query: &mut Query<'_>,
    user: &Reference,
    request: &ListProjects,
) -> Result<Page<ProjectView>, AppError> {
    let user = query.account_named(user, UserAction::Read)?;
    let filter = filter(query, ProjectSet::All, request)?;
    match filter.filter(|_| sees_activity(query.viewer(), user.id, user.private_profile)) {
        Some(filter) => listed(query, &ProjectFilter { starred_by: Some(user.id), ..filter }, request),
        None => Ok(Page::empty(request.page)),
    }
}

/// Those of these projects that the caller may see.
pub(crate) fn among(
    query: &mut Query<'_>,
    ids: Vec<ProjectId>,
    request: &ListProjects,
) -> Result<Page<ProjectView>, AppError> {
    match filter(query, ProjectSet::All, request)? {
        Some(filter) => listed(query, &ProjectFilter { among: Some(ids), ..filter }, request),
        None => Ok(Page::empty(request.page)),
    }
}

/// The projects of a group. Archived ones are left out unless they are asked for.
pub fn of_group(
    query: &mut Query<'_>,
    group: &Reference,
    scope: GroupScope,
    request: ListProjects,
) -> Result<Page<ProjectView>, AppError> {
    page_in(query, &ProjectPlace::OfGroup(group.clone(), scope), &of_groups(request))
}

fn page_in(query: &mut Query<'_>, place: &ProjectPlace, request: &ListProjects) -> Result<Page<ProjectView>, AppError> {
    match filter_of(query, place, request)? {
        Some(filter) => listed(query, &filter, request),
        None => Ok(Page::empty(request.page)),
    }
}

fn listed(
    query: &mut Query<'_>,
    filter: &ProjectFilter,
    request: &ListProjects,
) -> Result<Page<ProjectView>, AppError> {
    let order = order_of(query, request);
    let found = project::list(&mut query.tx, filter, order, request.descending, request.page)?;
    let items = views(query, found.items, detail(request))?;
    Ok(Page { items, total: found.total, request: found.request })
}

fn detail(request: &ListProjects) -> Detail {
    Detail {
        simple: request.simple,
        statistics: request.statistics,
        custom_attributes: request.with_custom_attributes,
        for_editor: false,
        license: false,
        permissions: None,
    }
}

/// The order that is asked for. By size for administrators only, and by similarity only to something: other callers get the
/// usual order.
fn order_of(query: &Query<'_>, request: &ListProjects) -> ProjectOrder {
    match request.order_by {
        ProjectOrder::RepositorySize if !query.is_admin() => ProjectOrder::CreatedAt,
        ProjectOrder::Similarity if request.search.as_deref().and_then(Search::parse).is_none() => {
            ProjectOrder::CreatedAt
        }
        order => order,
    }
}

/// `None` if nothing can match: an anonymous caller asks for what is theirs.
fn filter(query: &Query<'_>, set: ProjectSet, request: &ListProjects) -> Result<Option<ProjectFilter>, AppError> {
    if request.topics.len() > MAX_TOPICS {
        return Err(AppError::invalid("topic", format!("are too many (maximum is {MAX_TOPICS})")));
    }
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
        (Some(_), Viewer::Anonymous) => return Ok(None),
        (Some(at_least), Viewer::User { id, .. }) => Some(Membership { user: id, at_least, today }),
    };
    Ok(Some(ProjectFilter {
        archived: request.active.map(|active| !active).or(request.archived),
        visibility: request.visibility,
        search: request.search.as_deref().and_then(Search::parse),
        search_namespaces: request.search_namespaces,
        membership,
        starred_by: viewer.user().filter(|_| request.starred),
        language: request.language.clone(),
        topics: request.topics.clone(),
        id_after: request.id_after,
        id_before: request.id_before,
        active_after: request.last_activity_after,
        active_before: request.last_activity_before,
        imported_by: viewer.user().filter(|_| request.imported),
        nothing: (request.imported && viewer.user().is_none())
            || (query.is_admin() && request.repository_storage.as_deref().is_some_and(|name| name != STORAGE)),
        with_issues: request.with_issues_enabled,
        with_merge_requests: request.with_merge_requests_enabled,
        custom_attributes: if query.is_admin() { request.custom_attributes.clone() } else { BTreeMap::new() },
        ..ProjectFilter::new(viewer, today, set)
    }))
}

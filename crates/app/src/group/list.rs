//! Lists of groups.

use std::collections::BTreeMap;

use tenon_domain::access::{AccessLevel, Viewer};
use tenon_domain::group::GroupAction;
use tenon_domain::id::NamespaceId;
use tenon_domain::keyset::{KeysetPage, KeysetRequest, Listing};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::repository::STORAGE;
use tenon_domain::search::PlaceSearch;
use tenon_domain::time::Date;
use tenon_domain::user::{UserAction, sees_activity};
use tenon_domain::visibility::Visibility;
use tenon_storage::access::Membership;
use tenon_storage::group::{self, GroupFilter, GroupOrder, GroupSet};

use super::view::{Extras, GroupView, views};
use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::reference::Reference;

/// A request for groups.
#[derive(Debug, Clone, Default)]
pub struct ListGroups {
    /// Not these.
    pub skip_groups: Vec<i64>,
    /// Everything the caller may see, not only what they have to do with; yes for administrators if absent.
    pub all_available: Option<bool>,
    /// Name or path.
    pub search: Option<String>,
    /// The order of the list.
    pub order_by: GroupOrder,
    /// Falling instead of rising.
    pub descending: bool,
    /// With sizes; administrators only.
    pub statistics: bool,
    /// With custom attributes; administrators only.
    pub with_custom_attributes: bool,
    /// All these custom attributes; administrators only.
    pub custom_attributes: BTreeMap<String, String>,
    /// Only groups that the caller owns directly; outranks the other two.
    pub owned: bool,
    /// Only groups in which the caller has at least this level.
    pub min_access_level: Option<AccessLevel>,
    /// Only groups without a parent.
    pub top_level_only: bool,
    /// Of this visibility.
    pub visibility: Option<Visibility>,
    /// Those that are neither archived nor about to be deleted, or the others: no group is.
    pub active: Option<bool>,
    /// Archived ones only, or none of them: no group is.
    pub archived: Option<bool>,
    /// To be deleted on this day: no group is.
    pub marked_for_deletion_on: Option<Date>,
    /// Whose repositories are in this place; administrators only.
    pub repository_storage: Option<String>,
    /// Which page.
    pub page: PageRequest,
}

/// The place of a list of groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupPlace {
    /// Everywhere.
    Everywhere,
    /// Directly below a group.
    DirectlyBelow(Reference),
    /// Anywhere below a group.
    Below(Reference),
}

/// Groups of a place: the page that `request` names, or the part that `keyset` asks for. An order that no index has, and a
/// token of another list, are refused.
pub fn find(
    query: &mut Query<'_>,
    place: &GroupPlace,
    request: ListGroups,
    keyset: Option<&KeysetRequest>,
) -> Result<Listing<GroupView>, AppError> {
    let place = match place {
        GroupPlace::Everywhere => Place::Anywhere,
        GroupPlace::DirectlyBelow(parent) => Place::DirectlyBelow(query.group(parent, GroupAction::Read)?.group.id()),
        GroupPlace::Below(top) => Place::Below(query.group(top, GroupAction::Read)?.group.id()),
    };
    let Some(keyset) = keyset else { return page_of(query, &place, request).map(Listing::Page) };
    let order = request.order_by;
    let keyset = keyset.of(order.keyed(), request.descending, GroupOrder::KEYED)?;
    let extras = Extras {
        statistics: request.statistics,
        custom_attributes: request.with_custom_attributes,
        ..Extras::default()
    };
    let filter = filter(query, &place, request);
    let found = group::walk(&mut query.tx, &filter, order, &keyset)?;
    let items = views(query, found.items, extras)?;
    Ok(Listing::KeysetPage(KeysetPage { items, next: found.next }))
}

/// Groups.
pub fn list(query: &mut Query<'_>, request: ListGroups) -> Result<Page<GroupView>, AppError> {
    page_of(query, &Place::Anywhere, request)
}

/// The groups directly below a group.
pub fn subgroups(query: &mut Query<'_>, parent: &Reference, request: ListGroups) -> Result<Page<GroupView>, AppError> {
    let parent = query.group(parent, GroupAction::Read)?.group.id();
    page_of(query, &Place::DirectlyBelow(parent), request)
}

/// The groups of which a user is a direct member, as far as the caller may see them, by name; a private profile shows none to others.
pub fn of_user(query: &mut Query<'_>, user: &Reference, page: PageRequest) -> Result<Page<GroupView>, AppError> {
    let account = query.account_named(user, UserAction::Read)?;
    if !sees_activity(query.viewer(), account.id, account.private_profile) {
        return Ok(Page::empty(page));
    }
    let today = query.today();
    let filter = GroupFilter {
        set: GroupSet::Visible(query.viewer()),
        today,
        parent: None,
        below: None,
        top_level: false,
        member: Some(account.id),
        search: None,
        visibility: None,
        skip: Vec::new(),
        custom_attributes: BTreeMap::new(),
    };
    let found = group::list(&mut query.tx, &filter, GroupOrder::Name, false, page)?;
    let items = views(query, found.items, Extras::default())?;
    Ok(Page { items, total: found.total, request: found.request })
}

enum Place {
    Anywhere,
    DirectlyBelow(NamespaceId),
    Below(NamespaceId),
}

fn page_of(query: &mut Query<'_>, place: &Place, request: ListGroups) -> Result<Page<GroupView>, AppError> {
    let (order, descending, page) = (request.order_by, request.descending, request.page);
    let extras = Extras {
        statistics: request.statistics,
        custom_attributes: request.with_custom_attributes,
        ..Extras::default()
    };
    let filter = filter(query, place, request);
    let found = group::list(&mut query.tx, &filter, order, descending, page)?;
    let items = views(query, found.items, extras)?;
    Ok(Page { items, total: found.total, request: found.request })
}

fn filter(query: &Query<'_>, place: &Place, request: ListGroups) -> GroupFilter {
    let (parent, below) = match *place {
        Place::Anywhere => (None, None),
        Place::DirectlyBelow(id) => (Some(id), None),
        Place::Below(id) => (None, Some(id)),
    };
    // No group is archived or about to be deleted, and all repositories are in one place.
    let elsewhere = request.repository_storage.as_deref().is_some_and(|name| name != STORAGE);
    let is_empty = request.active == Some(false)
        || request.archived == Some(true)
        || request.marked_for_deletion_on.is_some()
        || (elsewhere && query.is_admin());
    GroupFilter {
        set: if is_empty { GroupSet::Empty } else { set(query, &request) },
        today: query.today(),
        parent,
        below,
        top_level: request.top_level_only,
        member: None,
        search: request.search.as_deref().and_then(PlaceSearch::parse),
        visibility: request.visibility,
        skip: request.skip_groups,
        custom_attributes: if query.is_admin() { request.custom_attributes } else { BTreeMap::new() },
    }
}

fn set(query: &Query<'_>, request: &ListGroups) -> GroupSet {
    let viewer = query.viewer();
    let Viewer::User { id: user, admin, .. } = viewer else {
        return if request.owned { GroupSet::Empty } else { GroupSet::Visible(viewer) };
    };
    match (request.owned, request.min_access_level, request.all_available.unwrap_or(admin)) {
        (true, _, _) => GroupSet::Owned(user),
        (false, Some(at_least), _) => GroupSet::Member(Membership { user, at_least, today: query.today() }),
        (false, None, true) => GroupSet::Visible(viewer),
        (false, None, false) => GroupSet::Related(user),
    }
}

//! Lists of groups.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::access::{AccessLevel, Viewer};
use tenon_domain::group::Group;
use tenon_domain::id::{NamespaceId, UserId};
use tenon_domain::keyset::{Cursor, Key, KeyKind, KeyedOrder, Keyset, KeysetPage};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::search::PlaceSearch;
use tenon_domain::visibility::Visibility;

use super::GroupRow;
use crate::db::connection::Backend;
use crate::db::hierarchy::descendants;
use crate::db::keyset::after_cursor;
use crate::db::paging::page;
use crate::db::predicate::{Condition, with_attributes};
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::rows::namespace::searched;
use crate::schema::{custom_attributes, members, namespace_closure, namespaces};
use crate::visibility::filter::visible_groups;
use crate::visibility::projects::{Membership, RelatedGroups, VisibleProjects};

/// Which groups a list starts from. All of them are groups that the caller may see.
#[derive(Debug, Clone, Copy)]
pub enum GroupSet {
    /// Everything that this viewer may see.
    Visible(Viewer),
    /// Groups related to a user: memberships, and the groups above and below them.
    Related(UserId),
    /// Groups that a user owns directly.
    Owned(UserId),
    /// Groups that a membership opens.
    Member(Membership),
    /// Nothing.
    Empty,
}

/// Which groups a list has.
#[derive(Debug, Clone)]
pub struct GroupFilter {
    /// The groups from which the list is taken.
    pub set: GroupSet,
    /// Memberships that end on or before this day have ended.
    pub today: NaiveDate,
    /// Only groups directly below this one.
    pub parent: Option<NamespaceId>,
    /// Only groups anywhere below this one.
    pub below: Option<NamespaceId>,
    /// Only groups without a parent.
    pub top_level: bool,
    /// Only groups of which this user is a direct member.
    pub member: Option<UserId>,
    /// Name or path; a full path finds the one group that has it.
    pub search: Option<PlaceSearch>,
    /// Of this visibility.
    pub visibility: Option<Visibility>,
    /// Not these.
    pub skip: Vec<i64>,
    /// All these custom attributes.
    pub custom_attributes: BTreeMap<String, String>,
}

/// The order of a list of groups; ties go by id.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GroupOrder {
    /// Display name.
    #[default]
    Name,
    /// Last segment of the path.
    Path,
    /// Id.
    Id,
}

impl GroupOrder {
    /// The orders that [`GroupOrder::keyed`] has.
    pub const KEYED: &'static str = "id, name";

    /// The order for [`walk`]; `None` if no index has it.
    #[must_use]
    pub const fn keyed(self) -> Option<KeyedOrder> {
        match self {
            Self::Name => Some(KeyedOrder { name: "name", kind: KeyKind::Text }),
            Self::Id => Some(KeyedOrder { name: "id", kind: KeyKind::Id }),
            Self::Path => None,
        }
    }
}

type Query<'a> = namespaces::BoxedQuery<'a, Backend>;

fn filtered(filter: &GroupFilter, set: Option<Condition<namespaces::table>>) -> Query<'_> {
    let mut query = namespaces::table
        .filter(namespaces::kind.eq("group"))
        .filter(namespaces::deleting_at.is_null())
        .into_boxed::<Backend>();
    if let Some(condition) = set {
        query = query.filter(condition);
    }
    if let Some(parent) = filter.parent {
        query = query.filter(namespaces::parent_id.eq(parent.get()));
    }
    if let Some(top) = filter.below {
        let below = descendants(top.get()).filter(namespace_closure::depth.gt(0));
        query = query.filter(namespaces::id.eq_any(below));
    }
    if let Some(user) = filter.member {
        query = query.filter(namespaces::id.eq_any(joined(user, filter.today, AccessLevel::Guest)));
    }
    if filter.top_level {
        query = query.filter(namespaces::parent_id.is_null());
    }
    if let Some(condition) = filter.search.as_ref().and_then(searched) {
        query = query.filter(condition);
    }
    if let Some(visibility) = filter.visibility {
        query = query.filter(namespaces::visibility.eq(visibility.as_str()));
    }
    if !filter.skip.is_empty() {
        query = query.filter(diesel::dsl::not(namespaces::id.eq_any(&filter.skip)));
    }
    with_attributes!(query, namespaces::id, custom_attributes::namespace_id, &filter.custom_attributes);
    query
}

/// The ids of the groups of which a user is a direct member, with at least this level.
#[diesel::dsl::auto_type]
fn joined(user: UserId, today: NaiveDate, at_least: AccessLevel) -> _ {
    let (user, level): (i64, i64) = (user.get(), at_least.value());
    members::table
        .filter(members::user_id.eq(user))
        .filter(members::access_level.ge(level))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .filter(members::namespace_id.is_not_null())
        .select(members::namespace_id.assume_not_null())
}

type Conditions = Box<dyn Fn() -> Option<Condition<namespaces::table>>>;

/// The conditions for the set from which the list is taken.
fn start(tx: &mut ReadTx<'_>, filter: &GroupFilter) -> StoreResult<Conditions> {
    let today = filter.today;
    Ok(match filter.set {
        GroupSet::Visible(viewer) => {
            let visible = visible_groups(tx, viewer, today)?;
            Box::new(move || visible.condition())
        }
        GroupSet::Related(user) => {
            let related = RelatedGroups::resolve(tx, user, today)?;
            Box::new(move || Some(related.condition()))
        }
        GroupSet::Member(membership) => {
            let visible = VisibleProjects::resolve(tx, membership)?;
            Box::new(move || Some(visible.namespaces()))
        }
        GroupSet::Owned(user) => {
            Box::new(move || Some(Box::new(namespaces::id.eq_any(joined(user, today, AccessLevel::Owner)))))
        }
        GroupSet::Empty => Box::new(|| Some(Box::new(namespaces::id.eq(0)))),
    })
}

/// One page of the groups that match.
pub fn list(
    tx: &mut ReadTx<'_>,
    filter: &GroupFilter,
    order: GroupOrder,
    descending: bool,
    request: PageRequest,
) -> StoreResult<Page<Group>> {
    let start = start(tx, filter)?;
    let total = filtered(filter, start()).count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        load(tx, ordered(filtered(filter, start()), order, descending).limit(limit).offset(offset))
    })
}

/// The part of the groups that match which `keyset` asks for, in an order of [`GroupOrder::keyed`].
pub fn walk(
    tx: &mut ReadTx<'_>,
    filter: &GroupFilter,
    order: GroupOrder,
    keyset: &Keyset,
) -> StoreResult<KeysetPage<Group>> {
    let start = start(tx, filter)?;
    let mut query = ordered(filtered(filter, start()), order, keyset.descending);
    if let Some(cursor) = &keyset.after {
        // The column is read only if the key has a text.
        query = query.filter(after_cursor(namespaces::name, namespaces::id, cursor, keyset.descending));
    }
    let found = load(tx, query.limit(keyset.per_page + 1))?;
    Ok(KeysetPage::cut(found, keyset, |last| {
        let key = match order {
            GroupOrder::Name => Key::Text(last.namespace.name.clone()),
            GroupOrder::Id | GroupOrder::Path => Key::Id,
        };
        Cursor { key, id: last.id().get() }
    }))
}

fn load(tx: &mut ReadTx<'_>, query: Query<'_>) -> StoreResult<Vec<Group>> {
    let rows: Vec<GroupRow> = query.select(GroupRow::as_select()).load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

fn ordered(query: Query<'_>, order: GroupOrder, descending: bool) -> Query<'_> {
    match (order, descending) {
        (GroupOrder::Name, false) => query.order((namespaces::name.asc(), namespaces::id.asc())),
        (GroupOrder::Name, true) => query.order((namespaces::name.desc(), namespaces::id.desc())),
        (GroupOrder::Path, false) => query.order((namespaces::path.asc(), namespaces::id.asc())),
        (GroupOrder::Path, true) => query.order((namespaces::path.desc(), namespaces::id.desc())),
        (GroupOrder::Id, false) => query.order(namespaces::id.asc()),
        (GroupOrder::Id, true) => query.order(namespaces::id.desc()),
    }
}

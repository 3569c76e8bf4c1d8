//! Which groups and projects memberships open to a user, for lists.

use std::sync::Arc;

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::access::{AccessLevel, Viewer};
use tenon_domain::id::{NamespaceId, UserId};

use crate::any_of::{IdList, any_listed, any_of};
use crate::error::StoreResult;
use crate::memory::Weighed;
use crate::predicate::Condition;
use crate::schema::{members, namespace_closure, namespaces, projects, shares};
use crate::unit_of_work::ReadTx;

/// Whose memberships are asked about, and as of when.
#[derive(Debug, Clone, Copy)]
pub struct Membership {
    /// The user.
    pub user: UserId,
    /// The least level that counts.
    pub at_least: AccessLevel,
    /// What expires on or before this day has ended.
    pub today: NaiveDate,
}

/// What memberships and shares open to a user. Worked out once, and then held against total and page alike: the databases
/// answer "is one of these" far quicker than the question behind it.
#[derive(Debug)]
pub(crate) struct Reach {
    /// Namespaces with everything in them, the user's own among them.
    namespaces: IdList,
    /// Projects that were opened by themselves.
    projects: IdList,
}

impl Weighed for Reach {
    fn weight(&self) -> usize {
        self.namespaces.as_slice().len() + self.projects.as_slice().len()
    }
}

impl Reach {
    pub(crate) fn resolve(tx: &mut ReadTx<'_>, membership: Membership) -> StoreResult<Arc<Self>> {
        let question = (membership.user, membership.at_least);
        tx.remembered(|memory| &memory.reach, question, membership.today, |tx| Self::work_out(tx, membership))
    }

    fn work_out(tx: &mut ReadTx<'_>, membership: Membership) -> StoreResult<Self> {
        let Membership { user, at_least, today } = membership;
        let direct: Vec<(Option<i64>, Option<i64>)> = members::table
            .filter(members::user_id.eq(user.get()))
            .filter(members::access_level.ge(at_least.value()))
            .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
            .select((members::namespace_id, members::project_id))
            .load(tx.conn)?;
        let own: Vec<i64> =
            namespaces::table.filter(namespaces::owner_id.eq(user.get())).select(namespaces::id).load(tx.conn)?;
        let (groups, projects): (Vec<_>, Vec<_>) = direct.into_iter().unzip();
        let joined = below(tx, &flattened(groups))?;
        let opened: Vec<(Option<i64>, Option<i64>)> = shares::table
            .filter(any_of(shares::group_id, &joined, std::convert::identity))
            .filter(shares::access_level.ge(at_least.value()))
            .filter(shares::expires_at.is_null().or(shares::expires_at.gt(today)))
            .select((shares::namespace_id, shares::project_id))
            .load(tx.conn)?;
        let (shared_groups, shared_projects): (Vec<_>, Vec<_>) = opened.into_iter().unzip();
        let shared = below(tx, &flattened(shared_groups))?;
        Ok(Self {
            namespaces: IdList::new([joined, shared, own].concat()),
            projects: IdList::new([flattened(projects), flattened(shared_projects)].concat()),
        })
    }

    /// Projects that are reached.
    pub(crate) fn projects(&self) -> Condition<projects::table> {
        Box::new(any_listed(projects::id, &self.projects).or(any_listed(projects::namespace_id, &self.namespaces)))
    }

    /// Namespaces that are reached.
    pub(crate) fn namespaces(&self) -> Condition<namespaces::table> {
        Box::new(any_listed(namespaces::id, &self.namespaces))
    }
}

/// Namespaces that a user has to do with: those that are reached, and what stands above them and above the projects that
/// are reached (reference: users-groups-auth-settings, section 13.3).
#[derive(Debug)]
pub(crate) struct Related(IdList);

impl Weighed for Related {
    fn weight(&self) -> usize {
        self.0.as_slice().len()
    }
}

impl Related {
    pub(crate) fn resolve(tx: &mut ReadTx<'_>, user: UserId, today: NaiveDate) -> StoreResult<Arc<Self>> {
        tx.remembered(|memory| &memory.related, user, today, |tx| Self::work_out(tx, user, today))
    }

    fn work_out(tx: &mut ReadTx<'_>, user: UserId, today: NaiveDate) -> StoreResult<Self> {
        let reach = Reach::resolve(tx, Membership { user, at_least: AccessLevel::Guest, today })?;
        let homes: Vec<i64> = projects::table
            .filter(any_listed(projects::id, &reach.projects))
            .filter(projects::deleting_at.is_null())
            .select(projects::namespace_id)
            .load(tx.conn)?;
        let below = IdList::new([reach.namespaces.as_slice(), &homes].concat());
        let above: Vec<i64> = namespace_closure::table
            .filter(any_listed(namespace_closure::descendant_id, &below))
            .select(namespace_closure::ancestor_id)
            .distinct()
            .load(tx.conn)?;
        // Each stands above itself.
        Ok(Self(IdList::new(above)))
    }

    /// The condition for it.
    pub(crate) fn condition(&self) -> Condition<namespaces::table> {
        Box::new(any_listed(namespaces::id, &self.0))
    }
}

/// Whether `user` has to do with `group`: a member of it, of what is above it, or of any group or project below it.
pub fn is_related(tx: &mut ReadTx<'_>, user: UserId, group: NamespaceId, today: NaiveDate) -> StoreResult<bool> {
    Ok(Related::resolve(tx, user, today)?.0.contains(group.get()))
}

/// What a viewer may see in a list: the list's form of the ability to read.
pub(crate) enum Sight<R> {
    /// Everything.
    All,
    /// What its visibility alone opens.
    Open(Viewer),
    /// That, and what is reached.
    Reached(Viewer, Arc<R>),
}

/// Whether `$column` holds a visibility that alone lets `$viewer` in.
macro_rules! open_to {
    ($column:expr, $viewer:expr) => {{
        let open: $crate::predicate::Condition<_> = if $viewer.sees(tenon_domain::visibility::Visibility::Internal) {
            Box::new($column.ne(tenon_domain::visibility::Visibility::Private.as_str()))
        } else {
            Box::new($column.eq(tenon_domain::visibility::Visibility::Public.as_str()))
        };
        open
    }};
}
pub(crate) use open_to;

impl<R> Sight<R> {
    fn of(viewer: Viewer, reach: impl FnOnce(UserId) -> StoreResult<Arc<R>>) -> StoreResult<Self> {
        Ok(match viewer {
            Viewer::Anonymous => Self::Open(viewer),
            Viewer::User { admin: true, .. } => Self::All,
            Viewer::User { id, .. } => Self::Reached(viewer, reach(id)?),
        })
    }
}

/// Projects that `viewer` may see.
pub(crate) fn visible_projects(tx: &mut ReadTx<'_>, viewer: Viewer, today: NaiveDate) -> StoreResult<Sight<Reach>> {
    Sight::of(viewer, |user| Reach::resolve(tx, Membership { user, at_least: AccessLevel::Guest, today }))
}

impl Sight<Reach> {
    /// The condition for it; `None` where there is none.
    pub(crate) fn condition(&self) -> Option<Condition<projects::table>> {
        match self {
            Self::All => None,
            Self::Open(viewer) => Some(open_to!(projects::visibility, viewer)),
            Self::Reached(viewer, reach) => Some(Box::new(open_to!(projects::visibility, viewer).or(reach.projects()))),
        }
    }
}

/// Groups that `viewer` may see.
pub(crate) fn visible_groups(tx: &mut ReadTx<'_>, viewer: Viewer, today: NaiveDate) -> StoreResult<Sight<Related>> {
    Sight::of(viewer, |user| Related::resolve(tx, user, today))
}

impl Sight<Related> {
    /// The condition for it; `None` where there is none.
    pub(crate) fn condition(&self) -> Option<Condition<namespaces::table>> {
        match self {
            Self::All => None,
            Self::Open(viewer) => Some(open_to!(namespaces::visibility, viewer)),
            Self::Reached(viewer, related) => {
                Some(Box::new(open_to!(namespaces::visibility, viewer).or(related.condition())))
            }
        }
    }
}

/// These namespaces and everything below them.
fn below(tx: &mut ReadTx<'_>, tops: &[i64]) -> StoreResult<Vec<i64>> {
    if tops.is_empty() {
        return Ok(Vec::new());
    }
    Ok(namespace_closure::table
        .filter(any_of(namespace_closure::ancestor_id, tops, std::convert::identity))
        .select(namespace_closure::descendant_id)
        .distinct()
        .load(tx.conn)?)
}

fn flattened(ids: Vec<Option<i64>>) -> Vec<i64> {
    ids.into_iter().flatten().collect()
}

//! Which groups and projects memberships and shares open to a user.

use std::sync::Arc;

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::access::AccessLevel;
use tenon_domain::id::{NamespaceId, UserId};

use crate::cache::access_cache::{CacheKey, Weight};
use crate::db::expressions::{IdList, in_id_list, in_ids};
use crate::db::predicate::Condition;
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::schema::{members, namespace_closure, namespaces, projects, shares};

/// Whose memberships are asked about, and as of when.
#[derive(Debug, Clone, Copy)]
pub struct Membership {
    /// The user.
    pub user: UserId,
    /// The least level that counts.
    pub at_least: AccessLevel,
    /// The present day: memberships that expire on or before it have ended.
    pub today: NaiveDate,
}

/// The projects that memberships and shares open to a user, as lists of ids. It is computed once, for the total and the
/// page of a list and for other requests: databases compare ids with a list far quicker than they compute the list.
#[derive(Debug)]
pub(crate) struct VisibleProjects {
    /// Namespaces with everything in them, the user's own among them.
    namespaces: IdList,
    /// Projects that were opened by themselves.
    projects: IdList,
}

impl Weight for VisibleProjects {
    fn weight(&self) -> usize {
        self.namespaces.as_slice().len() + self.projects.as_slice().len()
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct VisibleProjectsOf(UserId, AccessLevel);

impl CacheKey for VisibleProjectsOf {
    type Answer = VisibleProjects;
}

impl VisibleProjects {
    pub(crate) fn resolve(tx: &mut ReadTx<'_>, membership: Membership) -> StoreResult<Arc<Self>> {
        let key = VisibleProjectsOf(membership.user, membership.at_least);
        tx.cached(key, Some(membership.today), |tx| Self::compute(tx, membership))
    }

    fn compute(tx: &mut ReadTx<'_>, membership: Membership) -> StoreResult<Self> {
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
            .filter(in_ids(shares::group_id, &joined, std::convert::identity))
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

    /// Projects that are opened.
    pub(crate) fn projects(&self) -> Condition<projects::table> {
        Box::new(in_id_list(projects::id, &self.projects).or(in_id_list(projects::namespace_id, &self.namespaces)))
    }

    /// Namespaces that are opened.
    pub(crate) fn namespaces(&self) -> Condition<namespaces::table> {
        Box::new(in_id_list(namespaces::id, &self.namespaces))
    }
}

/// The groups that a user is related to: those that memberships and shares open, and all groups above these and above the
/// projects that are opened.
#[derive(Debug)]
pub(crate) struct RelatedGroups(IdList);

impl Weight for RelatedGroups {
    fn weight(&self) -> usize {
        self.0.as_slice().len()
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct RelatedGroupsOf(UserId);

impl CacheKey for RelatedGroupsOf {
    type Answer = RelatedGroups;
}

impl RelatedGroups {
    pub(crate) fn resolve(tx: &mut ReadTx<'_>, user: UserId, today: NaiveDate) -> StoreResult<Arc<Self>> {
        tx.cached(RelatedGroupsOf(user), Some(today), |tx| Self::compute(tx, user, today))
    }

    fn compute(tx: &mut ReadTx<'_>, user: UserId, today: NaiveDate) -> StoreResult<Self> {
        let visible = VisibleProjects::resolve(tx, Membership { user, at_least: AccessLevel::Guest, today })?;
        let homes: Vec<i64> = projects::table
            .filter(in_id_list(projects::id, &visible.projects))
            .filter(projects::deleting_at.is_null())
            .select(projects::namespace_id)
            .load(tx.conn)?;
        let below = IdList::new([visible.namespaces.as_slice(), &homes].concat());
        let above: Vec<i64> = namespace_closure::table
            .filter(in_id_list(namespace_closure::descendant_id, &below))
            .select(namespace_closure::ancestor_id)
            .distinct()
            .load(tx.conn)?;
        // Each stands above itself.
        Ok(Self(IdList::new(above)))
    }

    /// The condition for it.
    pub(crate) fn condition(&self) -> Condition<namespaces::table> {
        Box::new(in_id_list(namespaces::id, &self.0))
    }
}

/// True if `user` is related to `group`: a member of it, of a group above it, or of any group or project below it.
pub fn is_related(tx: &mut ReadTx<'_>, user: UserId, group: NamespaceId, today: NaiveDate) -> StoreResult<bool> {
    Ok(RelatedGroups::resolve(tx, user, today)?.0.contains(group.get()))
}

/// These namespaces and everything below them.
fn below(tx: &mut ReadTx<'_>, tops: &[i64]) -> StoreResult<Vec<i64>> {
    if tops.is_empty() {
        return Ok(Vec::new());
    }
    Ok(namespace_closure::table
        .filter(in_ids(namespace_closure::ancestor_id, tops, std::convert::identity))
        .select(namespace_closure::descendant_id)
        .distinct()
        .load(tx.conn)?)
}

fn flattened(ids: Vec<Option<i64>>) -> Vec<i64> {
    ids.into_iter().flatten().collect()
}

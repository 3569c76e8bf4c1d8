//! Effective access: what memberships and shares, direct and inherited, give a user. Expiry is compared here, at query
//! time, so that access ends without a job having run.

pub use crate::visibility::projects::{Membership, is_related};

use std::collections::HashMap;

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::access::AccessLevel;
use tenon_domain::id::{NamespaceId, ProjectId, UserId};

use crate::db::connection::on_each;
use crate::db::expressions::{in_ids, in_subquery};
use crate::db::hierarchy::{ABOVE, above};
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::schema::{members, namespace_closure, namespaces, projects, shares};

/// The sources of a user's access to a project or group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Levels {
    /// Direct membership in the project.
    pub project: Option<AccessLevel>,
    /// The highest membership in the group or above it.
    pub group: Option<AccessLevel>,
    /// The highest level through shares with other groups.
    pub shared: Option<AccessLevel>,
    /// True if the project lives in the user's personal namespace: then they stand as its owner.
    pub owns_namespace: bool,
}

impl Levels {
    /// The highest level, however it came about.
    #[must_use]
    pub fn effective(&self) -> Option<AccessLevel> {
        let owner = self.owns_namespace.then_some(AccessLevel::Owner);
        owner.max(self.project).max(self.group).max(self.shared)
    }
}

/// The levels of `user` in `group`: its own members, those of the groups above, and shares with either.
pub fn group_levels(tx: &mut ReadTx<'_>, user: UserId, group: NamespaceId, today: NaiveDate) -> StoreResult<Levels> {
    levels(tx, user, group, None, today)
}

/// The levels of `user` in `project`, which lives in `home`. The caller says if `home` is the user's own.
pub fn project_levels(
    tx: &mut ReadTx<'_>,
    user: UserId,
    project: ProjectId,
    home: NamespaceId,
    today: NaiveDate,
) -> StoreResult<Levels> {
    levels(tx, user, home, Some(project), today)
}

fn levels(
    tx: &mut ReadTx<'_>,
    user: UserId,
    namespace: NamespaceId,
    project: Option<ProjectId>,
    today: NaiveDate,
) -> StoreResult<Levels> {
    let (user, namespace) = (user.get(), namespace.get());
    // No project has the number 0.
    let project = project.map_or(0, ProjectId::get);
    let direct: Vec<(Option<i64>, i64)> = on_each!(tx.conn, c => members::table
        .filter(members::user_id.eq(user))
        .filter(members::project_id.eq(project).or(in_subquery(members::namespace_id, above!(namespace))))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .select((members::project_id, members::access_level))
        .load(c))?;
    let shared: Vec<(i64, i64)> = on_each!(tx.conn, c => shares::table
        .inner_join(namespace_closure::table.on(namespace_closure::descendant_id.eq(shares::group_id)))
        .inner_join(members::table.on(members::namespace_id.eq(namespace_closure::ancestor_id.nullable())))
        .filter(shares::project_id.eq(project).or(in_subquery(shares::namespace_id, above!(namespace))))
        .filter(shares::expires_at.is_null().or(shares::expires_at.gt(today)))
        .filter(members::user_id.eq(user))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .select((shares::access_level, members::access_level))
        .load(c))?;
    let mut levels = Levels::default();
    for (of_project, level) in direct {
        let level = AccessLevel::from_value(level);
        let highest = if of_project.is_some() { &mut levels.project } else { &mut levels.group };
        *highest = level.max(*highest);
    }
    let lowest_of_each = shared.into_iter().map(|(share, member)| share.min(member));
    levels.shared = lowest_of_each.max().and_then(AccessLevel::from_value);
    Ok(levels)
}

/// The levels of these users in these projects, however they came about; pairs without any are left out. Four statements.
pub fn levels_in_projects(
    tx: &mut ReadTx<'_>,
    users: &[UserId],
    projects: &[ProjectId],
    today: NaiveDate,
) -> StoreResult<HashMap<(ProjectId, UserId), AccessLevel>> {
    let is_valid = || members::expires_at.is_null().or(members::expires_at.gt(today));
    let in_projects = || in_ids(projects::id, projects, ProjectId::get);
    let mut levels: HashMap<(ProjectId, UserId), AccessLevel> = HashMap::new();
    let mut raise = |project: i64, user: i64, level: i64| {
        let Some(level) = AccessLevel::from_value(level) else { return };
        let highest = levels.entry((ProjectId::new(project), UserId::new(user))).or_insert(level);
        *highest = level.max(*highest);
    };
    let owned: Vec<(i64, Option<i64>)> = projects::table
        .inner_join(namespaces::table.on(namespaces::id.eq(projects::namespace_id)))
        .filter(in_projects())
        .filter(namespaces::owner_id.is_not_null())
        .select((projects::id, namespaces::owner_id))
        .load(tx.conn)?;
    for (project, owner) in owned {
        if let Some(owner) = owner.filter(|owner| users.contains(&UserId::new(*owner))) {
            raise(project, owner, AccessLevel::Owner.value());
        }
    }
    let direct: Vec<(Option<i64>, i64, i64)> = members::table
        .filter(in_ids(members::project_id, projects, ProjectId::get))
        .filter(in_ids(members::user_id, users, UserId::get))
        .filter(is_valid())
        .select((members::project_id, members::user_id, members::access_level))
        .load(tx.conn)?;
    for (project, user, level) in direct {
        raise(project.unwrap_or_default(), user, level);
    }
    let inherited: Vec<(i64, i64, i64)> = projects::table
        .inner_join(namespace_closure::table.on(namespace_closure::descendant_id.eq(projects::namespace_id)))
        .inner_join(members::table.on(members::namespace_id.eq(namespace_closure::ancestor_id.nullable())))
        .filter(in_projects())
        .filter(in_ids(members::user_id, users, UserId::get))
        .filter(is_valid())
        .select((projects::id, members::user_id, members::access_level))
        .load(tx.conn)?;
    for (project, user, level) in inherited {
        raise(project, user, level);
    }
    let shared: Vec<(i64, i64, i64, i64)> = projects::table
        .inner_join(ABOVE.on(ABOVE.field(namespace_closure::descendant_id).eq(projects::namespace_id)))
        .inner_join(
            shares::table.on(shares::project_id
                .eq(projects::id.nullable())
                .or(shares::namespace_id.eq(ABOVE.field(namespace_closure::ancestor_id).nullable()))),
        )
        .inner_join(namespace_closure::table.on(namespace_closure::descendant_id.eq(shares::group_id)))
        .inner_join(members::table.on(members::namespace_id.eq(namespace_closure::ancestor_id.nullable())))
        .filter(in_projects())
        .filter(shares::expires_at.is_null().or(shares::expires_at.gt(today)))
        .filter(in_ids(members::user_id, users, UserId::get))
        .filter(is_valid())
        .select((projects::id, members::user_id, shares::access_level, members::access_level))
        .load(tx.conn)?;
    for (project, user, share, member) in shared {
        raise(project, user, share.min(member));
    }
    Ok(levels)
}

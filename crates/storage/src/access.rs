//! Effective access: what memberships and shares, direct and inherited, give a user. Expiry is compared here, at query
//! time, so that access ends without a job having run.

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::access::{AccessLevel, Viewer};
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::visibility::Visibility;

use crate::error::StoreResult;
pub use crate::predicate::Membership;
use crate::predicate::{ABOVE, Condition, above, member_namespaces, project_itself, shared_namespaces};
use crate::schema::{members, namespace_closure, namespaces, projects, shares};
use crate::unit_of_work::ReadTx;

/// Whether `$column` holds a visibility that alone lets `$viewer` in.
macro_rules! open_to {
    ($column:expr, $viewer:expr) => {{
        let open: Condition<_> = if $viewer.sees(Visibility::Internal) {
            Box::new($column.ne(Visibility::Private.as_str()))
        } else {
            Box::new($column.eq(Visibility::Public.as_str()))
        };
        open
    }};
}

/// What gives a user access to a project or group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Levels {
    /// Direct membership in the project.
    pub project: Option<AccessLevel>,
    /// The highest membership in the group or above it.
    pub group: Option<AccessLevel>,
    /// The highest level through shares with other groups.
    pub shared: Option<AccessLevel>,
    /// Whether the project lives in the user's personal namespace: then they stand as its owner.
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

/// The levels of `user` in `project`, which lives in `home`. Whether `home` is the user's own is the caller's to say.
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
    let direct: Vec<(Option<i64>, i64)> = members::table
        .filter(members::user_id.eq(user))
        .filter(members::project_id.eq(project).or(members::namespace_id.eq_any(above!(namespace))))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .select((members::project_id, members::access_level))
        .load(tx.conn)?;
    let shared: Vec<(i64, i64)> = shares::table
        .inner_join(namespace_closure::table.on(namespace_closure::descendant_id.eq(shares::group_id)))
        .inner_join(members::table.on(members::namespace_id.eq(namespace_closure::ancestor_id.nullable())))
        .filter(shares::project_id.eq(project).or(shares::namespace_id.eq_any(above!(namespace))))
        .filter(shares::expires_at.is_null().or(shares::expires_at.gt(today)))
        .filter(members::user_id.eq(user))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .select((shares::access_level, members::access_level))
        .load(tx.conn)?;
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

/// Whether `user` has to do with `group`: a member of it, of what is above it, or of any group or project below it.
pub fn is_related(tx: &mut ReadTx<'_>, user: UserId, group: NamespaceId, today: NaiveDate) -> StoreResult<bool> {
    let found: Option<i64> = namespaces::table
        .find(group.get())
        .filter(related_groups(user, today))
        .select(namespaces::id)
        .first(tx.conn)
        .optional()?;
    Ok(found.is_some())
}

/// Projects in which the user has at least the level, however it came about.
pub(crate) fn member_projects(membership: Membership) -> Condition<projects::table> {
    let Membership { user, at_least, today } = membership;
    let (user, at_least) = (user.get(), at_least.value());
    let own = namespaces::table.filter(namespaces::owner_id.eq(user)).select(namespaces::id);
    Box::new(
        project_itself!(user, at_least, today)
            .or(projects::namespace_id.eq_any(member_namespaces!(user, at_least, today)))
            .or(projects::namespace_id.eq_any(shared_namespaces!(user, at_least, today)))
            .or(projects::namespace_id.eq_any(own)),
    )
}

/// Projects that `viewer` may see: the list's form of [`tenon_domain::access::Standing::sees`]. `None`: all of them.
pub(crate) fn visible_projects(viewer: Viewer, today: NaiveDate) -> Option<Condition<projects::table>> {
    let open = open_to!(projects::visibility, viewer);
    match viewer {
        Viewer::Anonymous => Some(open),
        Viewer::User { admin: true, .. } => None,
        Viewer::User { id, .. } => {
            let membership = Membership { user: id, at_least: AccessLevel::Guest, today };
            Some(Box::new(open.or(member_projects(membership))))
        }
    }
}

/// Groups in which the user has at least the level: members of it or above it, and shares with either.
pub(crate) fn member_groups(membership: Membership) -> Condition<namespaces::table> {
    let Membership { user, at_least, today } = membership;
    let (user, at_least) = (user.get(), at_least.value());
    Box::new(
        namespaces::id
            .eq_any(member_namespaces!(user, at_least, today))
            .or(namespaces::id.eq_any(shared_namespaces!(user, at_least, today))),
    )
}

/// Groups that the user has to do with: member groups, what is above and below them, and groups (and what is above
/// them) with a project of which the user is a member (reference: users-groups-auth-settings, section 13.3).
pub(crate) fn related_groups(user: UserId, today: NaiveDate) -> Condition<namespaces::table> {
    let membership = Membership { user, at_least: AccessLevel::Guest, today };
    let (id, least) = (user.get(), AccessLevel::Guest.value());
    let of_groups = ABOVE
        .filter(ABOVE.field(namespace_closure::descendant_id).eq_any(member_namespaces!(id, least, today)))
        .select(ABOVE.field(namespace_closure::ancestor_id));
    let homes = projects::table
        .filter(projects::deleting_at.is_null())
        .filter(project_itself!(id, least, today))
        .select(projects::namespace_id);
    let of_projects = ABOVE
        .filter(ABOVE.field(namespace_closure::descendant_id).eq_any(homes))
        .select(ABOVE.field(namespace_closure::ancestor_id));
    Box::new(member_groups(membership).or(namespaces::id.eq_any(of_groups)).or(namespaces::id.eq_any(of_projects)))
}

/// Groups that `viewer` may see: the list's form of the ability to read a group. `None`: all of them.
pub(crate) fn visible_groups(viewer: Viewer, today: NaiveDate) -> Option<Condition<namespaces::table>> {
    let open = open_to!(namespaces::visibility, viewer);
    match viewer {
        Viewer::Anonymous => Some(open),
        Viewer::User { admin: true, .. } => None,
        Viewer::User { id, .. } => Some(Box::new(open.or(related_groups(id, today)))),
    }
}

//! Effective access: what memberships and shares, direct and inherited, give a user. Expiry is compared here, at query
//! time, so that access ends without a job having run.

use chrono::NaiveDate;
use diesel::dsl::max;
use diesel::prelude::*;
use tenon_domain::access::{AccessLevel, Viewer};
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::namespace::Namespace;
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

/// The highest level of `user` in `group`: its own members, those of the groups above, and shares with either.
pub fn group_level(
    tx: &mut ReadTx<'_>,
    user: UserId,
    group: NamespaceId,
    today: NaiveDate,
) -> StoreResult<Option<AccessLevel>> {
    level(tx, user, group, None, today)
}

/// The highest level of `user` in `project`, which lives in `home`. The owner of a personal namespace stands as owner in
/// its projects.
pub fn project_level(
    tx: &mut ReadTx<'_>,
    user: UserId,
    project: ProjectId,
    home: &Namespace,
    today: NaiveDate,
) -> StoreResult<Option<AccessLevel>> {
    if home.owner == Some(user) {
        return Ok(Some(AccessLevel::Owner));
    }
    level(tx, user, home.id, Some(project), today)
}

fn level(
    tx: &mut ReadTx<'_>,
    user: UserId,
    namespace: NamespaceId,
    project: Option<ProjectId>,
    today: NaiveDate,
) -> StoreResult<Option<AccessLevel>> {
    let (user, namespace) = (user.get(), namespace.get());
    // No project has the number 0.
    let project = project.map_or(0, ProjectId::get);
    let direct: Option<i64> = members::table
        .filter(members::user_id.eq(user))
        .filter(members::project_id.eq(project).or(members::namespace_id.eq_any(above!(namespace))))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .select(max(members::access_level))
        .first(tx.conn)?;
    let shared: Vec<(i64, i64)> = shares::table
        .inner_join(namespace_closure::table.on(namespace_closure::descendant_id.eq(shares::group_id)))
        .inner_join(members::table.on(members::namespace_id.eq(namespace_closure::ancestor_id.nullable())))
        .filter(shares::project_id.eq(project).or(shares::namespace_id.eq_any(above!(namespace))))
        .filter(shares::expires_at.is_null().or(shares::expires_at.gt(today)))
        .filter(members::user_id.eq(user))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .select((shares::access_level, members::access_level))
        .load(tx.conn)?;
    let shared = shared.into_iter().map(|(share, member)| share.min(member)).max();
    Ok(direct.max(shared).and_then(AccessLevel::from_value))
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

//! Writing groups. Name, path and place are the namespace's business.

use diesel::prelude::*;
use tenon_domain::group::Group;
use tenon_domain::group::setting::IP_RANGES;
use tenon_domain::id::NamespaceId;
use tenon_domain::settings::DefaultBranchProtection;
use tenon_domain::time::Timestamp;

use crate::db::hierarchy::descendants;
use crate::db::row::naive;
use crate::db::tx::WriteTx;
use crate::error::StoreResult;
use crate::rows::setting_value::to_object;
use crate::schema::{namespaces, projects, shares};

/// Stores the settings of `group` as they now are.
pub fn update(tx: &mut WriteTx<'_>, group: &Group) -> StoreResult<()> {
    diesel::update(namespaces::table.find(group.id().get()))
        .set((
            namespaces::visibility.eq(group.visibility().as_str()),
            namespaces::description.eq(&group.description),
            namespaces::lfs_enabled.eq(group.lfs_enabled),
            namespaces::request_access_enabled.eq(group.request_access_enabled),
            namespaces::share_with_group_lock.eq(group.share_with_group_lock),
            namespaces::project_creation_level.eq(group.namespace.creation.projects.as_str()),
            namespaces::subgroup_creation_level.eq(group.namespace.creation.subgroups.as_str()),
            namespaces::require_two_factor_authentication.eq(group.require_two_factor_authentication),
            namespaces::two_factor_grace_period.eq(group.two_factor_grace_period),
            namespaces::default_branch_protection
                .eq(group.default_branch_protection.as_ref().map(DefaultBranchProtection::stored)),
            namespaces::avatar.eq(group.namespace.avatar.as_ref().map(ToString::to_string)),
            namespaces::settings.eq(to_object(&group.settings, &[&IP_RANGES])),
            namespaces::updated_at.eq(naive(group.updated_at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Says of a group and of all groups below it from which addresses they are reached.
pub fn set_ip_ranges_below(tx: &mut WriteTx<'_>, id: NamespaceId, ranges: Option<&str>) -> StoreResult<()> {
    diesel::update(namespaces::table.filter(namespaces::id.eq_any(descendants(id.get()))))
        .set(namespaces::ip_ranges.eq(ranges))
        .execute(tx.conn)?;
    Ok(())
}

/// Says of all groups below `id` that their projects may not be shared with groups.
pub fn lock_sharing_below(tx: &mut WriteTx<'_>, id: NamespaceId) -> StoreResult<()> {
    diesel::update(namespaces::table.filter(namespaces::id.eq_any(descendants(id.get()))))
        .set(namespaces::share_with_group_lock.eq(true))
        .execute(tx.conn)?;
    Ok(())
}

/// Hides a group, all groups below it and all their projects at once, while a job removes them. Shares with any of them
/// are closed.
pub fn mark_deleting(tx: &mut WriteTx<'_>, id: NamespaceId, at: Timestamp) -> StoreResult<()> {
    diesel::update(namespaces::table.filter(namespaces::id.eq_any(descendants(id.get()))))
        .set(namespaces::deleting_at.eq(naive(at)))
        .execute(tx.conn)?;
    diesel::delete(shares::table.filter(shares::group_id.eq_any(descendants(id.get())))).execute(tx.conn)?;
    diesel::update(projects::table.filter(projects::namespace_id.eq_any(descendants(id.get()))))
        .set(projects::deleting_at.eq(naive(at)))
        .execute(tx.conn)?;
    Ok(())
}

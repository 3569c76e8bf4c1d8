//! The rules of protected branches and tags, as one caller meets them.

use tenon_domain::access::{Standing, Viewer};
use tenon_domain::id::{NamespaceId, ProjectId};
use tenon_domain::project::Project;
use tenon_domain::repository::{Grantees, ProtectedRef, RefRules};
use tenon_domain::settings::DefaultBranchProtection;
use tenon_domain::time::Date;
use tenon_storage::{ReadTx, StoreResult, approval_rule, group, repository, settings};

/// The rules of a project for a caller. One statement, and more only if the rules name groups.
pub(crate) fn ref_rules(tx: &mut ReadTx<'_>, viewer: Viewer, project: &Project, today: Date) -> StoreResult<RefRules> {
    let rules = repository::rules(tx, project.id)?;
    let groups = groups_of(tx, viewer, (project.id, project.namespace), &rules, today)?;
    Ok(RefRules { rules, groups })
}

/// Which of these rules a maintainer of a project may change and remove, in their order.
pub(crate) fn may_unprotect(
    tx: &mut ReadTx<'_>,
    standing: &Standing,
    project: &Project,
    rules: &[ProtectedRef],
    today: Date,
) -> StoreResult<Vec<bool>> {
    let groups = groups_of(tx, standing.viewer, (project.id, project.namespace), rules, today)?;
    Ok(rules.iter().map(|rule| rule.admits_unprotect(standing, &groups)).collect())
}

/// How the default branch of a project is protected at its first push: as its group says, or else the server's settings.
pub(crate) fn default_protection(tx: &mut ReadTx<'_>, project: &Project) -> StoreResult<DefaultBranchProtection> {
    match group::branch_protection(tx, project.namespace)? {
        Some(of_group) => Ok(of_group),
        None => Ok(settings::load(tx)?.default_branch_protection.clone()),
    }
}

/// Those of the groups that rules name whose direct member the caller is, and to which the project is still open.
fn groups_of(
    tx: &mut ReadTx<'_>,
    viewer: Viewer,
    place: (ProjectId, NamespaceId),
    rules: &[ProtectedRef],
    today: Date,
) -> StoreResult<Vec<NamespaceId>> {
    let Grantees { groups: named, .. } =
        rules.iter().flat_map(|rule| &rule.entries).map(|entry| entry.grantee).collect();
    let Some(user) = viewer.user().filter(|_| !named.is_empty()) else { return Ok(Vec::new()) };
    let open = repository::groups_of_project(tx, place, &named, today)?;
    let own = approval_rule::members_of_groups(tx, &open, &[user], today)?;
    Ok(own.into_iter().map(|(group, _user)| group).collect())
}

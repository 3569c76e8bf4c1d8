//! The namespaces in which projects can be made.

use tenon_domain::access::AccessLevel;
use tenon_domain::group::GroupAction;
use tenon_domain::namespace::Namespace;
use tenon_domain::page::PageRequest;
use tenon_storage::namespace;

use super::list::{ListGroups, list};
use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::reference::Reference;

/// The namespaces in which the caller may make projects, for a form to offer: their own unless it is full, the groups in which their level is
/// enough, a hundred of each level at most, and the one that is named, if they may make projects there.
pub fn homes(query: &mut Query<'_>, named: Option<&Reference>) -> Result<Vec<Namespace>, AppError> {
    let user = query.user()?.clone();
    let personal = namespace::homes(&mut query.tx, &[user.id])?.get(&user.id).map_or(0, |home| home.projects);
    let may_own_more = personal < user.projects_limit;
    let own = Reference::Path(user.username);
    let own = permitted(query, &own)?.filter(|_| may_own_more);
    let named = match named {
        Some(named) => permitted(query, named)?,
        None => None,
    };
    let mut groups: Vec<Namespace> = named.into_iter().collect();
    for level in [AccessLevel::Developer, AccessLevel::Maintainer, AccessLevel::Owner] {
        let page = PageRequest::new(None, Some(PageRequest::MAX_PER_PAGE));
        let request = ListGroups { min_access_level: Some(level), page, ..ListGroups::default() };
        let found = list(query, request)?.items.into_iter().map(|view| view.group.namespace);
        groups.extend(found.filter(|group| group.creation.projects.least() == Some(level)));
    }
    groups.retain(|group| Some(group.id) != own.as_ref().map(|own| own.id));
    groups.sort_by(|a, b| a.full_path.cmp(&b.full_path));
    groups.dedup_by_key(|group| group.id);
    Ok(own.into_iter().chain(groups).collect())
}

/// A namespace in which the caller may make projects.
fn permitted(query: &mut Query<'_>, named: &Reference) -> Result<Option<Namespace>, AppError> {
    match query.namespace(named, GroupAction::CreateProject) {
        Ok(found) => Ok(Some(found)),
        Err(AppError::NotFound(_) | AppError::Forbidden) => Ok(None),
        Err(error) => Err(error),
    }
}

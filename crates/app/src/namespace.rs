//! Namespaces as such (reference: users-groups-auth-settings, section 15).

use std::collections::HashMap;

use tenon_domain::access::{AccessLevel, Decision};
use tenon_domain::group::{self, GroupAction};
use tenon_domain::id::NamespaceId;
use tenon_domain::namespace::{Namespace, NamespaceKind};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::search::Search;
use tenon_storage::{member, namespace};

use crate::access::Reference;
use crate::context::Query;
use crate::error::{AppError, Missing};
use crate::links::Links;

/// A namespace as answers show it.
#[derive(Debug, Clone)]
pub struct NamespaceView {
    /// The namespace.
    pub namespace: Namespace,
    /// Its page.
    pub web_url: String,
    /// Members of a group and of everything below it, for those who may administer the group.
    pub members_count: Option<i64>,
}

impl NamespaceView {
    pub(crate) fn new(links: &Links, namespace: Namespace) -> Self {
        let web_url = match namespace.kind {
            NamespaceKind::User => links.page(&namespace.full_path),
            NamespaceKind::Group => links.group(&namespace.full_path),
        };
        Self { namespace, web_url, members_count: None }
    }
}

/// The caller's own namespace and the groups of which they are a direct member; all namespaces for administrators.
pub fn list(
    query: &mut Query<'_>,
    search: Option<&str>,
    owned_only: bool,
    page: PageRequest,
) -> Result<Page<NamespaceView>, AppError> {
    let user = query.user()?.id;
    let everything = query.is_admin() && !owned_only;
    let search = search.and_then(Search::parse);
    let found = namespace::list(&mut query.tx, (!everything).then_some(user), search.as_ref(), page)?;
    let items = with_counts(query, found.items)?;
    Ok(Page { items, total: found.total, request: found.request })
}

/// One namespace: the caller's own, or a group to which they belong.
pub fn show(query: &mut Query<'_>, reference: &Reference) -> Result<NamespaceView, AppError> {
    let missing = || AppError::NotFound(Missing::NAMESPACE);
    let id = query.namespace_id(reference)?.ok_or_else(missing)?;
    let namespace = namespace::find(&mut query.tx, id)?.ok_or_else(missing)?;
    let readable = match namespace.kind {
        NamespaceKind::User => namespace.owner == query.viewer().user() || query.is_admin(),
        NamespaceKind::Group => {
            let standing = query.group_standing(id, namespace.visibility)?;
            group::decide(&standing, namespace.visibility, GroupAction::ReadNamespace) == Decision::Allow
        }
    };
    if !readable {
        return Err(missing());
    }
    with_counts(query, vec![namespace])?.pop().ok_or_else(missing)
}

/// Whether a path is taken below `parent`, and a free one like it.
pub fn exists(query: &mut Query<'_>, path: &str, parent: Option<NamespaceId>) -> Result<(bool, Vec<String>), AppError> {
    let prefix = match parent {
        None => String::new(),
        Some(id) => {
            let group = query.group(&Reference::Id(id.get()), GroupAction::Read)?.group;
            format!("{}/", group.namespace.full_path)
        }
    };
    let mut taken = |path: &str| namespace::holder(&mut query.tx, &format!("{prefix}{path}"));
    if taken(path)?.is_none() {
        return Ok((false, Vec::new()));
    }
    // A hundred namesakes are more than a suggestion is worth.
    for number in 1..100 {
        let candidate = format!("{path}{number}");
        if taken(&candidate)?.is_none() {
            return Ok((true, vec![candidate]));
        }
    }
    Ok((true, Vec::new()))
}

fn with_counts(query: &mut Query<'_>, namespaces: Vec<Namespace>) -> Result<Vec<NamespaceView>, AppError> {
    let groups: Vec<NamespaceId> =
        namespaces.iter().filter(|found| found.kind == NamespaceKind::Group).map(|found| found.id).collect();
    let administered = administered(query, &groups)?;
    let counts = namespace::members_with_descendants(&mut query.tx, &administered)?;
    let links = query.app.links();
    let view = |namespace: Namespace| {
        let counted = administered.contains(&namespace.id);
        let members_count = counted.then(|| counts.get(&namespace.id).copied().unwrap_or(0));
        NamespaceView { members_count, ..NamespaceView::new(links, namespace) }
    };
    Ok(namespaces.into_iter().map(view).collect())
}

fn administered(query: &mut Query<'_>, groups: &[NamespaceId]) -> Result<Vec<NamespaceId>, AppError> {
    if query.is_admin() {
        return Ok(groups.to_vec());
    }
    let (user, today) = (query.user()?.id, query.today());
    let levels: HashMap<NamespaceId, AccessLevel> = member::levels_in_namespaces(&mut query.tx, user, groups, today)?;
    Ok(groups.iter().copied().filter(|id| levels.get(id) == Some(&AccessLevel::Owner)).collect())
}

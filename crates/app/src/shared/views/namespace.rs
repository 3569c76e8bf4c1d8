//! Namespaces as such.

use std::collections::HashMap;

use tenon_domain::access::AccessLevel;
use tenon_domain::group::GroupAction;
use tenon_domain::id::{NamespaceId, UserId};
use tenon_domain::namespace::{Namespace, NamespaceKind};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::search::PlaceSearch;
use tenon_storage::namespace::{Belonging, PathHolder};
use tenon_storage::{group as groups, member, namespace};

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::core::links::Links;
use crate::policy::reference::Reference;
use crate::shared::views::user_ref::UserRef;

/// A namespace as answers show it.
#[derive(Debug, Clone)]
pub struct NamespaceView {
    /// The namespace.
    pub namespace: Namespace,
    /// Its page.
    pub web_url: String,
    /// Its picture; of a personal namespace its owner's.
    pub avatar_url: Option<String>,
    /// Members of a group and of everything below it, for those who may administer the group.
    pub members_count: Option<i64>,
}

impl NamespaceView {
    pub(crate) fn new(links: &Links, namespace: Namespace) -> Self {
        let web_url = match namespace.kind {
            NamespaceKind::User => links.page(&namespace.full_path),
            NamespaceKind::Group => links.group(&namespace.full_path),
        };
        Self { avatar_url: links.namespace_avatar(&namespace), namespace, web_url, members_count: None }
    }

    /// Gives a personal namespace the picture of its owner.
    pub(crate) fn with_owner(mut self, people: &HashMap<UserId, UserRef>) -> Self {
        if let Some(owner) = self.namespace.owner.and_then(|owner| people.get(&owner)) {
            self.avatar_url.clone_from(&owner.avatar_url);
        }
        self
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
    let search = search.and_then(PlaceSearch::parse);
    let at_least = if owned_only { AccessLevel::Owner } else { AccessLevel::Guest };
    let belonging = Belonging { user, at_least, today: query.today() };
    let found = namespace::list(&mut query.tx, (!everything).then_some(belonging), search.as_ref(), page)?;
    let items = with_counts(query, found.items)?;
    Ok(Page { items, total: found.total, request: found.request })
}

/// One namespace: the caller's own, or a group to which they belong.
pub fn show(query: &mut Query<'_>, reference: &Reference) -> Result<NamespaceView, AppError> {
    let missing = || AppError::NotFound(Missing::Namespace);
    let namespace = query.namespace(reference, GroupAction::ReadNamespace)?;
    with_counts(query, vec![namespace])?.pop().ok_or_else(missing)
}

/// Decides whether a user or group has this path below `parent`, and finds a free one like it. Only subgroups that the
/// caller may see count, and no project: hidden ones stay hidden here as well.
pub fn exists(query: &mut Query<'_>, path: &str, parent: Option<NamespaceId>) -> Result<(bool, Vec<String>), AppError> {
    let prefix = match parent {
        None => String::new(),
        Some(id) => {
            let group = query.group(&Reference::Id(id.get()), GroupAction::Read)?.group;
            format!("{}/", group.namespace.full_path)
        }
    };
    if path.contains('/') || !is_taken(query, &format!("{prefix}{path}"), parent)? {
        return Ok((false, Vec::new()));
    }
    // A hundred namesakes are more than a suggestion is worth.
    for number in 1..100 {
        let candidate = format!("{path}{number}");
        if !is_taken(query, &format!("{prefix}{candidate}"), parent)? {
            return Ok((true, vec![candidate]));
        }
    }
    Ok((true, Vec::new()))
}

fn is_taken(query: &mut Query<'_>, full_path: &str, parent: Option<NamespaceId>) -> Result<bool, AppError> {
    let (viewer, today) = (query.viewer(), query.today());
    match namespace::holder(&mut query.tx, full_path)? {
        None | Some(PathHolder::Project(_)) => Ok(false),
        // Top-level names are public: an attempt to create one reveals as much.
        Some(PathHolder::Namespace(_)) if parent.is_none() => Ok(true),
        Some(PathHolder::Namespace(id)) => Ok(!groups::visible_of(&mut query.tx, viewer, &[id], today)?.is_empty()),
    }
}

fn with_counts(query: &mut Query<'_>, namespaces: Vec<Namespace>) -> Result<Vec<NamespaceView>, AppError> {
    let groups: Vec<NamespaceId> =
        namespaces.iter().filter(|found| found.kind == NamespaceKind::Group).map(|found| found.id).collect();
    let administered = administered(query, &groups)?;
    let today = query.today();
    let counts = namespace::members_with_descendants(&mut query.tx, &administered, today)?;
    let owners = UserRef::of(query, namespaces.iter().filter_map(|found| found.owner).collect())?;
    let links = query.app.links();
    let view = |namespace: Namespace| {
        let counted = administered.contains(&namespace.id);
        let members_count = counted.then(|| counts.get(&namespace.id).copied().unwrap_or(0));
        NamespaceView { members_count, ..NamespaceView::new(links, namespace).with_owner(&owners) }
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

//! Groups with what answers show of them.

use tenon_domain::access::Viewer;
use tenon_domain::group::Group;
use tenon_domain::id::NamespaceId;
use tenon_domain::page::PageRequest;
use tenon_domain::settings::DefaultBranchProtection;
use tenon_storage::custom_attribute::{CustomAttribute, SubjectKind};
use tenon_storage::project::{self, ProjectFilter, ProjectOrder, ProjectSet};
use tenon_storage::repository::RepositorySizes;
use tenon_storage::{custom_attribute, group, repository, share};

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::shared::views::project_view::{Detail, ProjectView, SharedGroup, views as project_views};

/// A group in a list.
#[derive(Debug, Clone)]
pub struct GroupView {
    /// The group.
    pub group: Group,
    /// Its page.
    pub web_url: String,
    /// Its picture.
    pub avatar_url: Option<String>,
    /// How the default branches of its new projects are protected.
    pub branch_protection: DefaultBranchProtection,
    /// Bytes on disk of the repositories and wikis of its projects, for administrators who ask.
    pub sizes: Option<RepositorySizes>,
    /// The custom attributes, for administrators who ask.
    pub custom_attributes: Option<Vec<CustomAttribute>>,
    /// True if an administrator asks.
    pub for_admin: bool,
}

/// A group on its own.
#[derive(Debug, Clone)]
pub struct GroupDetail {
    /// The list's view.
    pub group: GroupView,
    /// Its projects and those shared with it, unless they are not wanted.
    pub projects: Option<GroupProjects>,
    /// The groups it is shared with, those left out that the caller may not see.
    pub shared_with: Vec<SharedGroup>,
    /// True if it is shown to an owner: with the settings that only owners read.
    pub for_owner: bool,
    /// For owners: the token with which runners register.
    pub runners_token: Option<String>,
}

/// The projects that a group's own view shows: at most a hundred of each.
#[derive(Debug, Clone)]
pub struct GroupProjects {
    /// Its own.
    pub own: Vec<ProjectView>,
    /// Those shared with it.
    pub shared: Vec<ProjectView>,
}

/// The additions to a list's views.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Extras {
    /// Sizes; administrators only.
    pub(crate) statistics: bool,
    /// Custom attributes; administrators only.
    pub(crate) custom_attributes: bool,
    /// The facts that only owners read, of a single group.
    pub(crate) for_owner: bool,
}

impl Extras {
    /// The facts that an owner sees after a change.
    pub(crate) fn for_owner() -> Self {
        Self { for_owner: true, ..Self::default() }
    }
}

/// The views of `groups`, in their order.
pub(crate) fn views(query: &mut Query<'_>, groups: Vec<Group>, extras: Extras) -> Result<Vec<GroupView>, AppError> {
    let admin = query.is_admin();
    let mut attributes = if extras.custom_attributes && admin {
        let numbers: Vec<i64> = groups.iter().map(|group| group.id().get()).collect();
        Some(custom_attribute::by_subjects(&mut query.tx, SubjectKind::Group, &numbers)?)
    } else {
        None
    };
    let sizes = if extras.statistics && admin {
        let ids: Vec<NamespaceId> = groups.iter().map(Group::id).collect();
        Some(repository::sizes_in(&mut query.tx, &ids)?)
    } else {
        None
    };
    let settings = query.settings()?;
    let links = query.app.links();
    Ok(groups
        .into_iter()
        .map(|group| GroupView {
            branch_protection: group
                .default_branch_protection
                .clone()
                .unwrap_or_else(|| settings.default_branch_protection.clone()),
            web_url: links.group(&group.namespace.full_path),
            avatar_url: links.namespace_avatar(&group.namespace),
            sizes: sizes.as_ref().map(|found| found.get(&group.id()).copied().unwrap_or_default()),
            for_admin: admin,
            custom_attributes: attributes.as_mut().map(|found| found.remove(&group.id().get()).unwrap_or_default()),
            group,
        })
        .collect())
}

/// The view of one group.
pub(crate) fn detail(
    query: &mut Query<'_>,
    group: Group,
    with_projects: bool,
    extras: Extras,
) -> Result<GroupDetail, AppError> {
    let id = group.id();
    let shared_with = shared_groups(query, id)?;
    let projects = if with_projects {
        let own = projects(query, ProjectSet::In(id))?;
        Some(GroupProjects { own, shared: projects(query, ProjectSet::SharedWith(id))? })
    } else {
        None
    };
    let runners_token = if extras.for_owner {
        let token = query.app.vault().derived_secret(&format!("runners of group {}", id.get()));
        Some(token.map_err(AppError::internal)?.expose().to_owned())
    } else {
        None
    };
    let group = views(query, vec![group], extras)?.pop();
    let group = group.ok_or_else(|| AppError::internal("a view for every group"))?;
    Ok(GroupDetail { group, projects, shared_with, for_owner: extras.for_owner, runners_token })
}

fn projects(query: &mut Query<'_>, set: ProjectSet) -> Result<Vec<ProjectView>, AppError> {
    let filter = ProjectFilter::new(query.viewer(), query.today(), set);
    let page = PageRequest::new(None, Some(PageRequest::MAX_PER_PAGE));
    let found = project::list(&mut query.tx, &filter, ProjectOrder::Id, true, page)?;
    project_views(query, found.items, Detail::default())
}

fn shared_groups(query: &mut Query<'_>, id: NamespaceId) -> Result<Vec<SharedGroup>, AppError> {
    let (viewer, today) = (query.viewer(), query.today());
    if viewer == Viewer::Anonymous {
        return Ok(Vec::new());
    }
    let shares = share::of_group(&mut query.tx, id, today)?;
    if shares.is_empty() {
        return Ok(Vec::new());
    }
    let groups: Vec<NamespaceId> = shares.iter().map(|view| view.share.group).collect();
    let visible = group::visible_of(&mut query.tx, viewer, &groups, today)?;
    let seen = shares.into_iter().filter(|view| visible.contains(&view.share.group));
    Ok(seen.map(SharedGroup::from).collect())
}

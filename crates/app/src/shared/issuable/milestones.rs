//! Milestones with what answers show of them.

use std::collections::HashMap;

use tenon_domain::container::Container;
use tenon_domain::group::GroupAction;
use tenon_domain::id::{MilestoneId, NamespaceId, ProjectId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::milestone::Milestone;
use tenon_domain::project::ProjectAction;
use tenon_storage::issuable::{self, IssuableFilter, IssuableSet, VisibleIssuables};
use tenon_storage::milestone::{self, MilestoneFilter};
use tenon_storage::{namespace, project};

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::container::{AuthorizedContainer, ContainerReference};

/// A milestone as answers show it.
#[derive(Debug, Clone)]
pub struct MilestoneView {
    /// The milestone.
    pub milestone: Milestone,
    /// Its page.
    pub web_url: String,
    /// True if its last day has passed while it is active.
    pub expired: bool,
}

/// The milestone of that id in a project or group that the caller can see.
pub(crate) fn find(query: &mut Query<'_>, of: &ContainerReference, id: MilestoneId) -> Result<Milestone, AppError> {
    let home = AuthorizedContainer::find(query, of, ProjectAction::ReadPlanning, GroupAction::Read)?;
    in_home(query, home.container(), id)
}

pub(crate) fn in_home(query: &mut Query<'_>, container: Container, id: MilestoneId) -> Result<Milestone, AppError> {
    let found = milestone::find(&mut query.tx, &MilestoneFilter::of(container), id)?;
    found.ok_or(AppError::NotFound(Missing::Record))
}

/// The issues or merge requests in a project or group that the caller may see.
pub(crate) fn visible_in(
    query: &mut Query<'_>,
    home: &AuthorizedContainer,
    kind: IssuableKind,
) -> Result<VisibleIssuables, AppError> {
    let (viewer, today) = (query.viewer(), query.today());
    Ok(match home {
        AuthorizedContainer::Project(found) => crate::policy::issuable::visible_issuables(kind, found),
        AuthorizedContainer::Group(found) => {
            let set = IssuableSet::Below(found.group.id());
            VisibleIssuables::resolve(&mut query.tx, kind, viewer, set, today)?
        }
    })
}

/// The issues or merge requests of a milestone that the caller may see.
pub(crate) fn belonging(
    query: &mut Query<'_>,
    milestone: &Milestone,
    kind: IssuableKind,
) -> Result<IssuableFilter, AppError> {
    let (viewer, today) = (query.viewer(), query.today());
    let set = match milestone.container {
        Container::Group(group) => IssuableSet::Below(group),
        Container::Project(_) => IssuableSet::All,
    };
    let reach = VisibleIssuables::resolve(&mut query.tx, kind, viewer, set, today)?;
    let is = issuable::MilestoneFilter::Is(milestone.id);
    Ok(IssuableFilter { milestone: is, ..IssuableFilter::new(reach, today) })
}

pub(crate) fn one(query: &mut Query<'_>, milestone: Milestone) -> Result<MilestoneView, AppError> {
    views(query, vec![milestone])?.pop().ok_or(AppError::NotFound(Missing::Record))
}

/// The views of `milestones`, in their order.
pub(crate) fn views(query: &mut Query<'_>, milestones: Vec<Milestone>) -> Result<Vec<MilestoneView>, AppError> {
    let containers = milestones.iter().map(|milestone| milestone.container);
    let projects: Vec<ProjectId> = containers.clone().filter_map(Container::project).collect();
    let groups: Vec<NamespaceId> = containers.filter_map(Container::group).collect();
    let projects = if projects.is_empty() { HashMap::new() } else { project::full_paths(&mut query.tx, &projects)? };
    let groups = if groups.is_empty() { HashMap::new() } else { namespace::by_ids(&mut query.tx, &groups)? };
    let today = query.today();
    let links = query.app.links();
    Ok(milestones
        .into_iter()
        .map(|milestone| MilestoneView {
            web_url: match milestone.container {
                Container::Project(id) => {
                    links.project_milestone(projects.get(&id).map_or("", String::as_str), milestone.iid)
                }
                Container::Group(id) => {
                    links.group_milestone(groups.get(&id).map_or("", |group| &group.full_path), milestone.iid)
                }
            },
            expired: milestone.due_date.is_some_and(|day| day < today) && milestone.state.closed_at().is_none(),
            milestone,
        })
        .collect())
}

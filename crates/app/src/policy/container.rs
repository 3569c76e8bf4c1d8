//! Projects and groups alike, if both have the same things: members, labels, milestones.

use tenon_domain::container::Container;
use tenon_domain::group::GroupAction;
use tenon_domain::project::ProjectAction;

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::authorization::{AuthorizedGroup, AuthorizedProject};
use crate::policy::reference::Reference;

/// A project or a group, as a request names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContainerReference {
    /// A project.
    Project(Reference),
    /// A group.
    Group(Reference),
}

/// A project or group that the caller may use in the asked way.
pub(crate) enum AuthorizedContainer {
    Project(Box<AuthorizedProject>),
    Group(Box<AuthorizedGroup>),
}

impl AuthorizedContainer {
    pub(crate) fn find(
        query: &mut Query<'_>,
        of: &ContainerReference,
        in_project: ProjectAction,
        in_group: GroupAction,
    ) -> Result<Self, AppError> {
        Ok(match of {
            ContainerReference::Project(reference) => Self::Project(Box::new(query.project(reference, in_project)?)),
            ContainerReference::Group(reference) => Self::Group(Box::new(query.group(reference, in_group)?)),
        })
    }

    /// The ids that the reference stands for.
    pub(crate) fn container(&self) -> Container {
        match self {
            Self::Project(found) => Container::Project(found.project.id),
            Self::Group(found) => Container::Group(found.group.id()),
        }
    }
}

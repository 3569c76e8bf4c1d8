//! Projects and groups alike, where both have the same things: members, labels, milestones.

use tenon_domain::group::GroupAction;
use tenon_domain::label::Owner;
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

    /// Whose labels and milestones these are.
    pub(crate) fn owner(&self) -> Owner {
        match self {
            Self::Project(found) => Owner::Project(found.project.id),
            Self::Group(found) => Owner::Group(found.group.id()),
        }
    }
}

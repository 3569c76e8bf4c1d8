//! The project or group that a row belongs to: two columns, of which one is set.

use tenon_domain::container::Container;
use tenon_domain::id::{NamespaceId, ProjectId};

use crate::error::{StoreError, StoreResult};

/// The container that the columns `project_id` and `namespace_id` of a row name.
pub(crate) fn container(
    table: &'static str,
    id: i64,
    project: Option<i64>,
    group: Option<i64>,
) -> StoreResult<Container> {
    match (project, group) {
        (Some(project), None) => Ok(Container::Project(ProjectId::new(project))),
        (None, Some(group)) => Ok(Container::Group(NamespaceId::new(group))),
        (None, None) | (Some(_), Some(_)) => {
            Err(StoreError::Inconsistent { table, column: "project_id", id, value: format!("{project:?}, {group:?}") })
        }
    }
}

/// The values of the columns `project_id` and `namespace_id`.
pub(crate) fn columns(container: Container) -> (Option<i64>, Option<i64>) {
    (container.project().map(ProjectId::get), container.group().map(NamespaceId::get))
}

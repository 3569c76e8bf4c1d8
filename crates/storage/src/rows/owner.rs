//! The project or group that a row belongs to.

use tenon_domain::id::{NamespaceId, ProjectId};
use tenon_domain::label::Owner;

use crate::error::{StoreError, StoreResult};

/// The owner that two columns name, of which one is set.
pub(crate) fn owner(table: &'static str, id: i64, project: Option<i64>, group: Option<i64>) -> StoreResult<Owner> {
    match (project, group) {
        (Some(project), None) => Ok(Owner::Project(ProjectId::new(project))),
        (None, Some(group)) => Ok(Owner::Group(NamespaceId::new(group))),
        (None, None) | (Some(_), Some(_)) => {
            Err(StoreError::Inconsistent { table, column: "project_id", id, value: format!("{project:?}, {group:?}") })
        }
    }
}

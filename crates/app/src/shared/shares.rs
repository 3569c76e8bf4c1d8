//! Projects and groups that are open to the members of other groups.

use tenon_domain::id::{NamespaceId, ProjectId};
use tenon_storage::{StoreError, UniqueKey, group, member};

use crate::core::app::Query;
use crate::core::error::AppError;

/// A share of the same pair stands already.
pub(crate) fn already_shared(error: StoreError) -> AppError {
    match error {
        StoreError::Unique(UniqueKey::Share) => AppError::Conflict("Group already shared with this group".to_owned()),
        other => other.into(),
    }
}

/// The groups that something is shared with, as far as the caller may see them: who is in a hidden group is hidden too.
pub(crate) fn visible_invited(
    query: &mut Query<'_>,
    namespace: NamespaceId,
    project: Option<ProjectId>,
) -> Result<Vec<NamespaceId>, AppError> {
    let (viewer, today) = (query.viewer(), query.today());
    let groups = member::invited_groups(&mut query.tx, namespace, project, today)?;
    if groups.is_empty() {
        return Ok(groups);
    }
    let visible = group::visible_of(&mut query.tx, viewer, &groups, today)?;
    Ok(groups.into_iter().filter(|group| visible.contains(group)).collect())
}

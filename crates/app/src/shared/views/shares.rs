//! Projects and groups that are open to the members of other groups.

use tenon_domain::container::Container;
use tenon_domain::id::{NamespaceId, ProjectId};
use tenon_domain::refusal::GroupRefusal;
use tenon_storage::{StoreError, UniqueKey, group, member, share};

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::policy::quota::{check_number, container_word};

/// A share of the same pair stands already.
pub(crate) fn already_shared(error: StoreError) -> AppError {
    match error {
        StoreError::Unique(UniqueKey::Share) => AppError::from(GroupRefusal::AlreadyShared),
        other => other.into(),
    }
}

/// Refuses one more share if something is opened to as many groups as it may be.
pub(crate) fn check_shares(command: &mut Command<'_>, container: Container) -> Result<(), AppError> {
    let (count, most) = (share::count(&mut command.tx, container)?, command.app.limits().contents.shares);
    check_number(count, most, container_word(container), "shares with groups")
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

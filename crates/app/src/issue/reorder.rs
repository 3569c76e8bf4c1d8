//! Putting an issue beside another in the order in which users put them.

use tenon_domain::id::Iid;
use tenon_domain::issuable::IssuableAction;

use crate::core::app::Command;
use crate::core::error::{AppError, Missing};
use crate::policy::reference::Reference;
use crate::shared::issuable::position::{Neighbours, move_beside, readable};
use crate::shared::issuable::view::{IssuableView, one};

/// Puts an issue between others, or beside one. 404 if one of them is no issue that the caller may read.
pub fn reorder(
    command: &mut Command<'_>,
    project: &Reference,
    iid: Iid,
    neighbours: Neighbours,
) -> Result<IssuableView, AppError> {
    let found = command.query().issue(project, iid, IssuableAction::Triage)?;
    for id in [neighbours.above, neighbours.below].into_iter().flatten() {
        readable(command, Some(id))?.ok_or(AppError::NotFound(Missing::Record))?;
    }
    move_beside(command, found.issuable.id, neighbours)?;
    one(&mut command.query(), found.issuable)
}

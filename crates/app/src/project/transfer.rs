//! Moving a project to another namespace.

use tenon_domain::group::GroupAction;
use tenon_domain::project::ProjectAction;

use super::show::one;
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::reference::Reference;
use crate::shared::project_transfer::{move_to, refused};
use crate::shared::project_view::{Detail, ProjectView};

/// Moves a project, whose owner asks, to a namespace in which they may create projects.
pub fn transfer(command: &mut Command<'_>, reference: &Reference, target: &Reference) -> Result<ProjectView, AppError> {
    let mut query = command.query();
    let found = query.project(reference, ProjectAction::Administer)?;
    let home = query.namespace(target, GroupAction::CreateProject).map_err(|error| match error {
        AppError::Forbidden => refused("Transfer failed, please contact an admin."),
        other => other,
    })?;
    let moved = move_to(command, found, &home)?;
    one(&mut command.query(), moved, Detail::default())
}

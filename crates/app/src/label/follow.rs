//! Following a label.

use tenon_domain::group::GroupAction;
use tenon_domain::project::ProjectAction;
use tenon_domain::transition::Transition;
use tenon_storage::label::{self, LabelSet};

use super::view::{LabelView, one};
use super::{LabelReference, find};
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::container::{AuthorizedContainer, ContainerReference};

/// Makes the caller follow a label; `Stayed` if they do.
pub fn subscribe(
    command: &mut Command<'_>,
    of: &ContainerReference,
    reference: &LabelReference,
) -> Result<Transition<LabelView>, AppError> {
    set(command, of, reference, true)
}

/// Makes the caller no longer follow a label; `Stayed` if they do not.
pub fn unsubscribe(
    command: &mut Command<'_>,
    of: &ContainerReference,
    reference: &LabelReference,
) -> Result<Transition<LabelView>, AppError> {
    set(command, of, reference, false)
}

fn set(
    command: &mut Command<'_>,
    of: &ContainerReference,
    reference: &LabelReference,
    follow: bool,
) -> Result<Transition<LabelView>, AppError> {
    let home = AuthorizedContainer::find(&mut command.query(), of, ProjectAction::ReadPlanning, GroupAction::Read)?;
    let set = LabelSet { container: home.container(), with_ancestors: true };
    let found = find(&mut command.query(), set, reference)?;
    let user = command.user()?.id;
    let changed = label::set_followed(&mut command.tx, found.id, user, follow)?;
    let view = one(&mut command.query(), &home, found)?;
    Ok(if changed { Transition::Moved(view) } else { Transition::Stayed(view) })
}

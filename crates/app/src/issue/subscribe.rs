//! Subscriptions: who is notified of changes.

use tenon_domain::id::Iid;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::transition::Transition;

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::issuable::IssuableReference;
use crate::policy::reference::Reference;
use crate::shared::issuable::subscription::set_subscription;
use crate::shared::issuable::view::{IssuableView, one};

/// Subscribes the caller to an issue; `Stayed` if they are.
pub fn subscribe(
    command: &mut Command<'_>,
    project: &Reference,
    iid: Iid,
) -> Result<Transition<IssuableView>, AppError> {
    set(command, project, iid, true)
}

/// Ends the caller's subscription; `Stayed` if there is none.
pub fn unsubscribe(
    command: &mut Command<'_>,
    project: &Reference,
    iid: Iid,
) -> Result<Transition<IssuableView>, AppError> {
    set(command, project, iid, false)
}

fn set(
    command: &mut Command<'_>,
    project: &Reference,
    iid: Iid,
    wanted: bool,
) -> Result<Transition<IssuableView>, AppError> {
    let of = IssuableReference { kind: IssuableKind::Issue, project: project.clone(), iid };
    Ok(match set_subscription(command, &of, wanted)? {
        Transition::Moved(found) => Transition::Moved(one(&mut command.query(), found.issuable)?),
        Transition::Stayed(found) => Transition::Stayed(one(&mut command.query(), found.issuable)?),
    })
}

//! Being told of changes (reference: issues-merge-requests-projects, section 6.12).

use tenon_domain::transition::Transition;

use super::view::{MergeRequestView, bare};
use crate::context::Command;
use crate::error::AppError;
use crate::issuable::{IssuableReference, set_subscription};

/// Subscribes the caller; `Stayed` where they are.
pub fn subscribe(command: &mut Command<'_>, of: &IssuableReference) -> Result<Transition<MergeRequestView>, AppError> {
    set(command, of, true)
}

/// Ends the caller's subscription; `Stayed` where there is none.
pub fn unsubscribe(
    command: &mut Command<'_>,
    of: &IssuableReference,
) -> Result<Transition<MergeRequestView>, AppError> {
    set(command, of, false)
}

fn set(
    command: &mut Command<'_>,
    of: &IssuableReference,
    wanted: bool,
) -> Result<Transition<MergeRequestView>, AppError> {
    Ok(match set_subscription(command, of, wanted)? {
        Transition::Moved(found) => Transition::Moved(bare(&mut command.query(), found.issuable)?),
        Transition::Stayed(found) => Transition::Stayed(bare(&mut command.query(), found.issuable)?),
    })
}

//! Subscriptions: who is notified of changes.

use tenon_domain::issuable::IssuableAction;
use tenon_domain::transition::Transition;

use super::show::one;
use super::view::MergeRequestView;
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::issuable::IssuableReference;
use crate::shared::issuable::subscription::set_subscription;

/// Subscribes the caller; `Stayed` if they are.
pub fn subscribe(command: &mut Command<'_>, of: &IssuableReference) -> Result<Transition<MergeRequestView>, AppError> {
    set(command, of, true)
}

/// Ends the caller's subscription; `Stayed` if there is none.
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
    let outcome = set_subscription(command, of, wanted)?;
    let mut query = command.query();
    let found = query.merge_request(of, IssuableAction::Read)?;
    let view = one(&mut query, &found)?;
    Ok(match outcome {
        Transition::Moved(_) => Transition::Moved(view),
        Transition::Stayed(_) => Transition::Stayed(view),
    })
}

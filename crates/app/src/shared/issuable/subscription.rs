//! Subscriptions: who is notified of changes.

use tenon_domain::issuable::{Issuable, IssuableAction};
use tenon_domain::transition::Transition;
use tenon_storage::issuable;

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::policy::issuable::{AuthorizedIssuable, IssuableReference};

/// Subscribes the caller, or ends that; `Stayed` if it is so already.
pub(crate) fn set_subscription(
    command: &mut Command<'_>,
    of: &IssuableReference,
    wanted: bool,
) -> Result<Transition<AuthorizedIssuable>, AppError> {
    let found = command.query().issuable(of, IssuableAction::Read)?;
    let user = command.user()?.id;
    if is_subscribed(&mut command.query(), &found.issuable)? == wanted {
        return Ok(Transition::Stayed(found));
    }
    issuable::set_subscription(&mut command.tx, found.issuable.id, user, wanted)?;
    Ok(Transition::Moved(found))
}

/// True if the caller is subscribed: as they chose, or else because they take part.
fn is_subscribed(query: &mut Query<'_>, of: &Issuable) -> Result<bool, AppError> {
    let Some(user) = query.viewer().user() else { return Ok(false) };
    Ok(issuable::subscribed_of(&mut query.tx, std::slice::from_ref(of), user)?.contains(&of.id))
}

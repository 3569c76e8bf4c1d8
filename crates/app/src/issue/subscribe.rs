//! Being told of changes (reference: issues-merge-requests-projects, section 3.9).

use tenon_domain::id::Iid;
use tenon_domain::issue::IssueAction;
use tenon_domain::transition::Transition;
use tenon_storage::issuable;

use super::view::{IssueView, is_subscribed, one};
use crate::access::Reference;
use crate::context::Command;
use crate::error::AppError;

/// Subscribes the caller to an issue; `Stayed` where they are.
pub fn subscribe(command: &mut Command<'_>, project: &Reference, iid: Iid) -> Result<Transition<IssueView>, AppError> {
    set(command, project, iid, true)
}

/// Ends the caller's subscription; `Stayed` where there is none.
pub fn unsubscribe(
    command: &mut Command<'_>,
    project: &Reference,
    iid: Iid,
) -> Result<Transition<IssueView>, AppError> {
    set(command, project, iid, false)
}

fn set(
    command: &mut Command<'_>,
    project: &Reference,
    iid: Iid,
    wanted: bool,
) -> Result<Transition<IssueView>, AppError> {
    let found = command.query().issue(project, iid, IssueAction::Read)?;
    let user = command.user()?.id;
    let changes = is_subscribed(&mut command.query(), &found.issue)? != wanted;
    if changes {
        issuable::set_subscription(&mut command.tx, found.issue.id, user, wanted)?;
    }
    let view = one(&mut command.query(), found.issue)?;
    Ok(if changes { Transition::Moved(view) } else { Transition::Stayed(view) })
}

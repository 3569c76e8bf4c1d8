//! The beginning of a direct membership.

use tenon_domain::container::Container;
use tenon_domain::event::EventKind;
use tenon_domain::member::Member;
use tenon_domain::refusal::AdmissionRefusal;
use tenon_storage::{StoreError, UniqueKey, access_request, member};

use super::system_event::{self, Membership};
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::quota::{check_number, container_word};

/// Makes a user a direct member, in place of `over`, a membership of the same user that has expired. The caller has checked that
/// the user may become one. Fails if there are too many members, and with 409 if the user is one already.
pub(crate) fn begin(command: &mut Command<'_>, new: &Member, over: Option<&Member>) -> Result<(), AppError> {
    let others = member::count(&mut command.tx, new.container)? - i64::from(over.is_some());
    let most = command.app.limits().contents.members;
    check_number(others, most, container_word(new.container), "direct members")?;
    if let Some(over) = over {
        member::delete(&mut command.tx, over.container, over.user)?;
        system_event::of_member(command, Membership::Ended, over)?;
    }
    member::insert(&mut command.tx, new).map_err(|error| match error {
        StoreError::Unique(UniqueKey::Member) => AppError::from(AdmissionRefusal::AlreadyMember),
        other => other.into(),
    })?;
    // A request for access is answered by the membership.
    match new.container {
        Container::Project(_) => access_request::delete(&mut command.tx, new.container, new.user)?,
        Container::Group(id) => access_request::delete_below(&mut command.tx, id, new.user)?,
    }
    system_event::of_member(command, Membership::Begun, new)?;
    let event = command.event(EventKind::MemberAdded).user(new.user).container(new.container);
    command.append(&event)
}

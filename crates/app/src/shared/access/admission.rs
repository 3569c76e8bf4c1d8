//! The demands of the groups around a project or group on its new members.

use tenon_domain::container::Container;
use tenon_domain::group::InheritedSettings;
use tenon_domain::group::setting::MEMBERSHIP_LOCK;
use tenon_domain::id::{NamespaceId, UserId};
use tenon_domain::refusal::AdmissionRefusal;
use tenon_storage::{group, user};

use crate::core::app::Command;
use crate::core::error::AppError;

/// Refuses a new member of a project or group in `home`, if a group forbids new members of projects, or if the user has
/// no confirmed address of a domain that a group demands.
pub(crate) fn check_admission(
    command: &mut Command<'_>,
    container: Container,
    home: NamespaceId,
    user: UserId,
) -> Result<(), AppError> {
    let inherited = unlocked(command, container, home)?;
    if inherited.limits_addresses() && !inherited.admits_member(&confirmed(command, user)?) {
        return Err(AppError::invalid("user", "has no confirmed email address of an allowed domain"));
    }
    Ok(())
}

/// As [`check_admission`], of an address that is to be invited.
pub(crate) fn check_invited(
    command: &mut Command<'_>,
    container: Container,
    home: NamespaceId,
    address: &str,
) -> Result<(), AppError> {
    let inherited = unlocked(command, container, home)?;
    if inherited.limits_addresses() && !inherited.admits_member(&[address.to_owned()]) {
        return Err(AppError::invalid("invite_email", "is not of an allowed domain"));
    }
    Ok(())
}

/// The settings of the groups above. Fails if one of them forbids new members of projects, and this is one.
fn unlocked(command: &mut Command<'_>, container: Container, home: NamespaceId) -> Result<InheritedSettings, AppError> {
    let inherited = group::inherited_settings(&mut command.tx, home)?;
    if matches!(container, Container::Project(_)) && inherited.is_on(&MEMBERSHIP_LOCK) {
        return Err(AdmissionRefusal::Locked.into());
    }
    Ok(inherited)
}

/// The confirmed addresses of a user.
fn confirmed(command: &mut Command<'_>, id: UserId) -> Result<Vec<String>, AppError> {
    let primary = user::find(&mut command.tx, id)?.filter(|user| user.confirmed_at.is_some()).map(|user| user.email);
    Ok(primary.into_iter().chain(user::confirmed_emails(&mut command.tx, id)?).collect())
}

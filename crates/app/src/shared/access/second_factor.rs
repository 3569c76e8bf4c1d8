//! Who must have a second factor, and since when they know.

use tenon_auth::{Secret, digest};
use tenon_domain::event::EventKind;
use tenon_domain::id::UserId;
use tenon_domain::two_factor::{RECOVERY_CODES, Requirement};
use tenon_storage::two_factor;

use crate::core::app::{Command, Query};
use crate::core::error::AppError;

/// Codes for a user who has lost the authenticator, each good for one sign-in. They are shown once.
pub type RecoveryCodes = Vec<Secret>;

/// The duty of a user to set up a second factor, because the settings or one of their groups ask for it. Tokens are not
/// hindered.
pub fn requirement(query: &mut Query<'_>, user: UserId) -> Result<Requirement, AppError> {
    if two_factor::is_enabled(&mut query.tx, user)? {
        return Ok(Requirement::None);
    }
    let now = query.now;
    let hours = hours(query, user)?;
    let announced = match hours {
        Some(_) => two_factor::grace_began_at(&mut query.tx, user)?,
        None => None,
    };
    Ok(Requirement::of(hours, announced, now))
}

/// As [`requirement`], for a user who signs in, sends a form or is shown the answer: from then on their time runs,
/// once: also if they set up a second factor and remove it again. If nothing asks any more, it begins anew the next
/// time.
pub fn announce(command: &mut Command<'_>, user: UserId) -> Result<Requirement, AppError> {
    let now = command.now;
    match requirement(&mut command.query(), user)? {
        Requirement::None => {
            if hours(&mut command.query(), user)?.is_none() {
                two_factor::end_grace(&mut command.tx, user)?;
            }
            Ok(Requirement::None)
        }
        Requirement::Unannounced => {
            two_factor::begin_grace(&mut command.tx, user, now)?;
            requirement(&mut command.query(), user)
        }
        asked @ (Requirement::Until(_) | Requirement::Overdue) => Ok(asked),
    }
}

/// Records that the caller has two-factor authentication from now on. Yields recovery codes; nothing happens if the caller
/// had a second factor before.
pub(crate) fn first_codes(
    command: &mut Command<'_>,
    had_second_factor: bool,
) -> Result<Option<RecoveryCodes>, AppError> {
    if had_second_factor {
        return Ok(None);
    }
    let user = command.user()?.id;
    let event = command.event(EventKind::TwoFactorEnabled).user(user);
    command.append(&event)?;
    new_codes(command).map(Some)
}

/// Gives the caller new recovery codes; the earlier ones are void.
pub(crate) fn new_codes(command: &mut Command<'_>) -> Result<RecoveryCodes, AppError> {
    let user = command.user()?.id;
    // 80 random bits each: no digest is found by trying.
    let codes: RecoveryCodes = (0..RECOVERY_CODES).map(|_| Secret::generate_typeable(command.app.entropy())).collect();
    let digests: Vec<String> = codes.iter().map(|code| digest(code.expose())).collect();
    two_factor::replace_recovery_codes(&mut command.tx, user, &digests)?;
    Ok(codes)
}

/// Within how many hours a second factor is required of a user; `None` if nothing asks for one.
fn hours(query: &mut Query<'_>, user: UserId) -> Result<Option<i64>, AppError> {
    let today = query.today();
    let settings = query.settings()?;
    let is_asked_of_admins = settings.two_factor_of_admins_within_hours.is_some();
    let is_admin = is_asked_of_admins && tenon_storage::user::find(&mut query.tx, user)?.is_some_and(|user| user.admin);
    let of_admins = settings.two_factor_of_admins_within_hours.filter(|_| is_admin);
    let everywhere = settings.two_factor_within_hours.into_iter().chain(of_admins);
    let in_groups = two_factor::required_by_groups(&mut query.tx, user, today)?;
    Ok(everywhere.chain(in_groups).min())
}

//! Two-factor authentication: beside the password, a code that changes with time, or one of ten recovery codes.

mod disable;
mod enrol;
mod requirement;
mod verify;

pub use disable::{disable, disable_for, disable_of};
pub use enrol::{PendingTwoFactor, RecoveryCodes, begin, confirm, new_recovery_codes, pending};
pub use requirement::is_enabled;

pub use crate::shared::access::second_factor::{announce, requirement};
pub use tenon_domain::two_factor::Requirement;

//! Two-factor authentication: beside the password, a code that changes with time, or one of ten recovery codes.

mod disable;
mod enrol;
mod requirement;
mod verify;

pub use disable::{disable, disable_for, disable_of};
pub use enrol::{PendingTwoFactor, begin, confirm, new_recovery_codes, pending};
pub use requirement::{has_authenticator, is_enabled};

pub use crate::shared::access::second_factor::{RecoveryCodes, announce, requirement};
pub use tenon_domain::two_factor::Requirement;

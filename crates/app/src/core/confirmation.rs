//! That a signed-in user has just shown a secret again: asked for if a session alone, which may be another person's by
//! then, is not enough.

use tenon_domain::id::UserId;

use crate::core::error::AppError;

/// Shows that a user has just given the password. Made by [`App::confirm_password`].
///
/// [`App::confirm_password`]: crate::App::confirm_password
#[derive(Debug)]
pub struct Confirmed {
    user: UserId,
}

impl Confirmed {
    pub(crate) fn of(user: UserId) -> Self {
        Self { user }
    }

    /// Refuses a confirmation that another user has made.
    pub(crate) fn check(&self, user: UserId) -> Result<(), AppError> {
        if self.user == user { Ok(()) } else { Err(AppError::Forbidden) }
    }
}

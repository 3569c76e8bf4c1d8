//! Who has a second factor.

use tenon_domain::id::UserId;
use tenon_storage::two_factor;

use crate::core::app::Query;
use crate::core::error::AppError;

/// True if a user signs in with a second factor.
pub fn is_enabled(query: &mut Query<'_>, user: UserId) -> Result<bool, AppError> {
    Ok(two_factor::is_enabled(&mut query.tx, user)?)
}

/// True if the caller has an authenticator that shows codes, and not only passkeys.
pub fn has_authenticator(query: &mut Query<'_>) -> Result<bool, AppError> {
    let user = query.user()?.id;
    Ok(two_factor::find(&mut query.tx, user)?.is_some_and(|factor| factor.enabled_at.is_some()))
}

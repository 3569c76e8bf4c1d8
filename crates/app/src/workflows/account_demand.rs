//! Duties of a user before anything else in a browser. Tokens are not hindered, but for the terms.

use tenon_domain::two_factor::Requirement;
pub use tenon_domain::user::AccountDemand;

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::{terms, two_factor, user};

/// The first duty of the caller; `None` if nothing is left, and for anonymous callers. Nothing is demanded of an
/// administrator who acts as a user: it would be done in the user's place.
pub fn account_demand(query: &mut Query<'_>) -> Result<Option<AccountDemand>, AppError> {
    let Some(caller) = query.viewer().user().filter(|_| !query.caller.is_impersonated()) else { return Ok(None) };
    if user::must_change_password(query, caller)? {
        return Ok(Some(AccountDemand::ChangePassword));
    }
    if terms::must_accept(query, caller)? {
        return Ok(Some(AccountDemand::AcceptTerms));
    }
    Ok(match two_factor::requirement(query, caller)? {
        Requirement::None | Requirement::Until(_) => None,
        Requirement::Unannounced => Some(AccountDemand::AnnounceSecondFactor),
        Requirement::Overdue => Some(AccountDemand::SetUpSecondFactor),
    })
}

//! What a user has to do before anything else in a browser. Tokens are not hindered, but for the terms.

use tenon_domain::two_factor::Requirement;

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::{terms, two_factor, user};

/// What the caller has to do before anything else in a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountDemand {
    /// To choose a password: someone else has set the present one.
    ChangePassword,
    /// To accept the terms.
    AcceptTerms,
    /// To set up a second factor: the time for that is over.
    SetUpSecondFactor,
    /// To see that a second factor has to be set up ([`crate::two_factor::announce`]); nothing else yet.
    AnnounceSecondFactor,
}

/// As [`account_demand`], in words, for everything but pages. An announcement is none there: what does not show it must not go on
/// without it.
pub(crate) fn in_words(query: &mut Query<'_>) -> Result<Option<&'static str>, AppError> {
    Ok(account_demand(query)?.map(|demand| match demand {
        AccountDemand::ChangePassword => "Your password has expired. Please sign in to Tenon and change it.",
        AccountDemand::AcceptTerms => "You must accept the Terms of Service. Please sign in to Tenon and accept them.",
        AccountDemand::SetUpSecondFactor | AccountDemand::AnnounceSecondFactor => {
            "You must set up two-factor authentication. Please sign in to Tenon."
        }
    }))
}

/// What the caller has to do first; `None` where nothing is left, and for anonymous callers. Nothing is demanded of an administrator
/// who acts as a user: it would be done in the user's place.
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

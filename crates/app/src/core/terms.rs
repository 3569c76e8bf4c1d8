//! Checks that a caller has accepted the terms of service, if the settings ask for that.

use tenon_domain::id::UserId;
use tenon_domain::refusal::AccessRefusal;
use tenon_storage::{ReadTx, StoreResult, settings, terms, user};

use crate::core::caller::Caller;
use crate::core::error::AppError;

/// True if a user must accept the terms before they may do anything else. One who has accepted an earlier text has not
/// to, and bots have not to.
pub(crate) fn must_accept(tx: &mut ReadTx<'_>, user: UserId) -> StoreResult<bool> {
    if settings::load(tx)?.terms.is_none() || terms::any_accepted(tx, user)? {
        return Ok(false);
    }
    Ok(user::find(tx, user)?.is_none_or(|user| !user.bot))
}

/// Refuses a caller with a token whose user must accept the terms first; administrators as well. Browsers are not refused
/// here: the page to accept them is one of theirs.
pub(crate) fn check(tx: &mut ReadTx<'_>, caller: Caller) -> Result<Caller, AppError> {
    let Some(token) = &caller.token else { return Ok(caller) };
    if !must_accept(tx, token.user)? {
        return Ok(caller);
    }
    let username = user::find(tx, token.user)?.map(|user| user.username).unwrap_or_default();
    Err(AccessRefusal::TermsNotAccepted { username }.into())
}

//! Demands on a user that come before any other page: choose a password, accept the terms, set up a second factor.

use tenon_app::{AccountDemand, account_demand, two_factor};

use crate::context::request::RequestContext;
use crate::kit::error::PageError;

/// Paths that stay open, so that users can meet the demands or sign out.
const OPEN: [&str; 4] = ["/users/", "/profile/password", "/profile/two_factor_auth", "/-/users/terms"];

/// True if a page comes before others, and leads on to them.
pub(crate) fn comes_first(pattern: &str) -> bool {
    let is_of_someone = pattern.starts_with("/users/{");
    pattern == "/users" || !is_of_someone && OPEN.iter().any(|open| pattern.starts_with(open))
}

/// The page to which the caller is sent first. `None` if there is none.
pub(crate) async fn page_first(
    context: &RequestContext,
    pattern: &str,
    reads: bool,
) -> Result<Option<&'static str>, PageError> {
    if !context.has_session() || comes_first(pattern) {
        return Ok(None);
    }
    let demand = context.ask(account_demand).await?;
    Ok(match demand {
        None => None,
        Some(AccountDemand::ChangePassword) => Some("/profile/password/new"),
        Some(AccountDemand::AcceptTerms) => Some("/-/users/terms"),
        // The sent form is processed first. The time for the second factor begins with it.
        Some(AccountDemand::AnnounceSecondFactor) if !reads => {
            context
                .write(|command| {
                    let user = command.user()?.id;
                    two_factor::announce(command, user)
                })
                .await?;
            None
        }
        Some(AccountDemand::SetUpSecondFactor | AccountDemand::AnnounceSecondFactor) => {
            Some("/profile/two_factor_auth")
        }
    })
}

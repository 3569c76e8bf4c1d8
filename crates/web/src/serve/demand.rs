//! Demands on a user that come before any other page: choose a password, accept the terms, set up a second factor, enter the mode
//! of administrators.

use tenon_app::identity::{Guard, Identity};
use tenon_app::session::{self, AdminMode};
use tenon_app::{AccountDemand, account_demand, two_factor};

use crate::context::request::RequestContext;
use crate::kit::error::PageError;

/// Paths that stay open, so that users can meet the demands or sign out.
const OPEN: [&str; 5] =
    ["/users/", "/profile/password", "/profile/two_factor_auth", "/-/users/terms", "/admin/session"];

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
    if lacks_admin_mode(context).await? {
        return Ok(Some("/admin/session/new"));
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

/// True if the page is for administrators, and the caller is one who has not entered their mode.
async fn lacks_admin_mode(context: &RequestContext) -> Result<bool, PageError> {
    let identity = context.identity();
    if identity.guard != Guard::Administrator || !context.app().known_settings().admin_mode {
        return Ok(false);
    }
    // As anyone who has signed in: the page itself admits them only afterwards.
    let identity = Identity { guard: Guard::SignedIn, ..identity.clone() };
    Ok(context.app().read(&identity, session::admin_mode).await? == AdminMode::Left)
}

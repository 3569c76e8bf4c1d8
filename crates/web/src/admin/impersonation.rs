//! Administrators act as other users, and stop doing so.

use tenon_app::session;
use tenon_domain::id::UserId;

use super::users::refused;
use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::visit::Visit;

/// Begins to act as the user of an account; leads to what that user sees first.
pub(super) async fn start(visit: Visit) -> Result<Answer, PageError> {
    let id = UserId::new(visit.id("id")?);
    let browser = visit.browser(false);
    match visit.write(move |command| session::impersonate(command, id, &browser)).await {
        Ok(started) => {
            let mut answer = Answer::done(&visit.own("/"));
            answer.cookies.extend(cookie::of_session(&started));
            Ok(answer)
        }
        Err(error) => refused(&visit, id, error).await,
    }
}

/// Gives the administrator their own session back; leads to the page of the account.
pub(super) async fn stop(visit: Visit) -> Result<Answer, PageError> {
    let (user, own) = visit.write(session::stop_impersonation).await?;
    let mut answer = Answer::done(&visit.own(&format!("/admin/users/{user}")));
    answer.cookies.extend(cookie::of_session(&own));
    Ok(answer)
}

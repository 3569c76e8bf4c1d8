//! Administrators begin and stop to act as other users.

use tenon_app::session;
use tenon_domain::id::UserId;

use super::users::refused;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;

/// Begins to act as the user of an account, and leads to the first page of that user.
pub(super) async fn start(context: RequestContext) -> Result<Answer, PageError> {
    let id = UserId::new(context.id("id")?);
    let browser = context.browser(false);
    match context.write(move |command| session::impersonate(command, id, &browser)).await {
        Ok(started) => {
            let mut answer = Answer::done(&context.own("/"));
            answer.cookies.extend(cookie::of_session(&started));
            Ok(answer)
        }
        Err(error) => refused(&context, id, error).await,
    }
}

/// Restores the administrator's own session, and leads to the page of the account.
pub(super) async fn stop(context: RequestContext) -> Result<Answer, PageError> {
    let (user, own) = context.write(session::stop_impersonation).await?;
    let mut answer = Answer::done(&context.own(&format!("/admin/users/{user}")));
    answer.cookies.extend(cookie::of_session(&own));
    Ok(answer)
}

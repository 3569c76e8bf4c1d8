//! Applies changes of lines that comments propose.

use tenon_app::error::AppError;
use tenon_app::merge_request::{self, ApplySuggestions};
use tenon_domain::id::SuggestionId;

use super::merge::why;
use super::show::refused;
use crate::context::project::ProjectContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;
use crate::parts::issuable::note::origin;

/// Applies one suggestion.
pub(super) async fn apply(context: ProjectContext) -> Result<Answer, PageError> {
    let id = SuggestionId::new(context.asked.number("id")?);
    save(context, vec![id]).await
}

/// Applies the ticked suggestions by one commit.
pub(super) async fn apply_ticked(context: ProjectContext) -> Result<Answer, PageError> {
    let ticked = context.request.form().list("", "suggestions");
    let ids: Option<Vec<SuggestionId>> = ticked.into_iter().map(|id| id.parse().ok().map(SuggestionId::new)).collect();
    save(context, ids.ok_or(PageError::NotFound)?).await
}

async fn save(context: ProjectContext, ids: Vec<SuggestionId>) -> Result<Answer, PageError> {
    context.frame.user.as_ref().ok_or(PageError::SignIn)?;
    let message = context.request.form().filled("", "commit_message");
    let request = ApplySuggestions { ids, message: message.filter(|message| !message.trim().is_empty()) };
    match merge_request::apply_suggestions(context.request.app(), context.request.identity(), request).await {
        Ok(_) => Ok(context.done(&origin(&context)).cookie(cookie::of_flash(Flash::SuggestionsApplied))),
        Err(error @ (AppError::Forbidden | AppError::NotFound(_))) => Err(error.into()),
        Err(AppError::QuotaExceeded(quota)) => refused(context, Problems::plain(&format!("{quota}."))).await,
        Err(error) => refused(context, why(error)?).await,
    }
}

//! Markdown as it will look, for the script and for programs.

use actix_web::http::StatusCode;
use serde_json::json;
use tenon_domain::issuable::MAX_TEXT;

use crate::context::project::ProjectContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;

/// A text as safe HTML; 413 where it is longer than any that is stored. What it names is linked where the caller may see it, as in what others will read.
pub(super) async fn show(context: ProjectContext) -> Result<Answer, PageError> {
    let text = context.request.form().text("", "text");
    if text.chars().count() > MAX_TEXT {
        return Err(PageError::Status(StatusCode::PAYLOAD_TOO_LARGE, None));
    }
    Ok(Answer::json(&json!({"body": context.rendered(text).await?})))
}

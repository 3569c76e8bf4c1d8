//! Rendered Markdown, for the script and for programs.

use actix_web::http::StatusCode;
use serde_json::json;
use tenon_domain::issuable::MAX_TEXT;

use crate::context::project::ProjectContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::{fence, pill};

/// A text as safe HTML. 413 if it is longer than any that is stored. References are links if the caller may see their
/// objects, as in texts for others.
pub(super) async fn show(context: ProjectContext) -> Result<Answer, PageError> {
    let text = context.request.form().text("", "text");
    if text.chars().count() > MAX_TEXT {
        return Err(PageError::Status(StatusCode::PAYLOAD_TOO_LARGE, None));
    }
    let html = context.rendered(text).await?;
    let colours = fence::coloured(context.request.app(), context.request.path(), &html).await;
    let html = colours.unwrap_or(html);
    Ok(Answer::json(&json!({"body": pill::labels(&html).unwrap_or(html)})))
}

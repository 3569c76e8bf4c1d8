//! Markdown as it will look, for the script and for programs.

use serde_json::json;
use tenon_app::{Query, markdown};

use super::Room;
use crate::answer::Answer;
use crate::error::PageError;

/// A text as safe HTML. What it names is linked where the caller may see it, as in what others will read.
pub(super) async fn show(room: Room) -> Result<Answer, PageError> {
    let (project, text) = (room.project(), room.visit.form().text("", "text"));
    let render = move |query: &mut Query<'_>| markdown::render(query, &text, true, Some(&project));
    Ok(Answer::json(&json!({"body": room.visit.ask(render).await?})))
}

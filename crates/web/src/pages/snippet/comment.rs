//! Commenting on a snippet of a project, and removing comments.

use actix_web::http::StatusCode;
use tenon_app::snippet;
use tenon_domain::id::NoteId;
use tenon_domain::note::NoteKind;

use super::reference_in;
use super::show::present;
use crate::context::project::ProjectContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;

/// Comments on a snippet, and leads to the comment.
pub(super) async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference_in(&context)?;
    let (named, text) = (of.clone(), context.request.form().text("note", "note"));
    let body = text.clone();
    match context.request.write(move |command| snippet::comment(command, &named, NoteKind::Discussion, body)).await {
        Ok(said) => Ok(context.done(&format!("/snippets/{}#note_{}", of.id, said.note.id))),
        Err(error) => {
            let page = present(context, text, Problems::of(error)?).await?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn delete(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference_in(&context)?;
    let (named, id) = (of.clone(), NoteId::new(context.asked.number("note_id")?));
    context.request.write(move |command| snippet::delete_note(command, &named, None, id, None)).await?;
    let page = context.done(&format!("/snippets/{}", of.id));
    Ok(page.cookie(cookie::of_flash(Flash::CommentDeleted)))
}

//! The actions of a reviewer: comments that are published together, files viewed, and the newest version that the
//! reviewer has seen.

use tenon_app::error::AppError;
use tenon_app::note::{self, NewDraft, Review};
use tenon_app::{Command, merge_request};
use tenon_domain::file_path::FilePath;
use tenon_domain::id::{DraftNoteId, VersionId};

use crate::context::project::ProjectContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;
use crate::pages::issuable::note::refused;
use crate::parts::issuable::changed::{Part, part};
use crate::parts::issuable::note::{origin, position};
use crate::parts::issuable::reference::{page_of, reference};
use crate::parts::issuable::talk::DraftPlace;
use crate::table::project::ProjectTable;

pub(crate) fn routes(table: &mut ProjectTable) {
    table.post("/merge_requests/{iid}/drafts", create);
    table.post("/merge_requests/{iid}/drafts/publish", publish);
    table.put("/merge_requests/{iid}/drafts/{id}", update);
    table.delete("/merge_requests/{iid}/drafts/{id}", discard);
    table.post("/merge_requests/{iid}/viewed", set_viewed);
    table.post("/merge_requests/{iid}/seen", mark_seen);
}

/// Writes a comment that is published with the review.
async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked)?;
    let form = context.request.form();
    let (text, from_diff) = (form.text("note", "note"), form.ticked("", "from_diff"));
    let (discussion, position) = (form.filled("", "in_reply_to_discussion_id"), position(form));
    let place = match (&discussion, &position) {
        (Some(id), _) => DraftPlace::Reply(id.clone()),
        (None, Some(_)) => DraftPlace::Line(form.text("", "line")),
        (None, None) => DraftPlace::Comment,
    };
    let resolves = form.ticked("", "resolves");
    let request = NewDraft { body: text.clone(), discussion, position, resolves };
    match context.request.write(move |command| note::write_draft(command, &of, request)).await {
        Ok(draft) if context.request.is_fragment() => {
            part(context, draft.discussion.map_or(Part::Draft(draft.id), Part::Thread), None).await
        }
        Ok(draft) => Ok(context.done(&format!("{}#draft_{}", origin(&context), draft.id))),
        Err(error) => refused(context, place, text, from_diff, error).await,
    }
}

async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked)?;
    let id = DraftNoteId::new(context.asked.number("id")?);
    let form = context.request.form();
    let (text, from_diff) = (form.text("note", "note"), form.ticked("", "from_diff"));
    let body = text.clone();
    match context.request.write(move |command| note::edit_draft(command, &of, id, &body)).await {
        Ok(()) if context.request.is_fragment() => part(context, Part::Draft(id), None).await,
        Ok(()) => Ok(context.done(&format!("{}#draft_{id}", origin(&context)))),
        // The draft is deleted, and its form too. The form for a comment gets the text, on the page that has this form.
        Err(error @ AppError::Refused(_)) => refused(context, DraftPlace::Comment, text, false, error).await,
        Err(error) => refused(context, DraftPlace::Review(id), text, from_diff, error).await,
    }
}

async fn discard(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked)?;
    let id = DraftNoteId::new(context.asked.number("id")?);
    context.request.write(move |command| note::discard_draft(command, &of, id)).await?;
    if context.request.is_fragment() {
        return part(context, Part::Nothing, None).await;
    }
    Ok(context.done(&origin(&context)).cookie(cookie::of_flash(Flash::DraftDiscarded)))
}

/// The version that was the newest when the page of a form was made.
fn version(context: &ProjectContext) -> Option<VersionId> {
    context.request.form().filled("", "version").and_then(|text| text.parse().ok()).map(VersionId::new)
}

/// Publishes the drafts. If the form says so, it also records up to which version the caller has looked.
async fn publish(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, version) = (reference(&context.asked)?, version(&context));
    let reviewed = of.clone();
    let drafts = context.request.ask(move |query| note::own_drafts(query, &reviewed)).await?;
    let review = Review::of(drafts);
    let (app, identity) = (context.request.app(), context.request.identity());
    let suggestions = note::suggested(app, identity, &of, review.places()).await?;
    let review = review.with(suggestions);
    let texts = review.texts();
    let work = move |command: &mut Command<'_>| {
        note::publish_drafts(command, &of, review)?;
        version.map_or(Ok(()), |version| merge_request::mark_seen(command, &of, version))
    };
    match context.request.write_text(texts, work).await {
        Ok(()) => Ok(context.done(&origin(&context)).cookie(cookie::of_flash(Flash::ReviewPublished))),
        Err(error) => crate::pages::merge_request::show::refused(context, Problems::of(error)?).await,
    }
}

/// Records that a file was viewed, or that it was not. The value of the pressed button has the digest of the file's
/// changes, a space, and its path in the stored form.
async fn set_viewed(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked)?;
    let form = context.request.form();
    let is_viewed = form.has("", "viewed");
    let named = form.text("", if is_viewed { "viewed" } else { "not_viewed" });
    let (digest, path) = named.split_once(' ').unwrap_or_default();
    let (digest, path, file) =
        (digest.to_owned(), path.to_owned(), crate::parts::diff::anchor(FilePath::from_stored(path).as_kept()));
    let work = move |command: &mut Command<'_>| merge_request::set_viewed(command, &of, &path, &digest, is_viewed);
    match context.request.write(work).await {
        Ok(()) => Ok(context.done(&format!("{}#{file}", origin(&context)))),
        Err(error) => crate::pages::merge_request::show::refused(context, Problems::of(error)?).await,
    }
}

async fn mark_seen(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, version) = (reference(&context.asked)?, version(&context).ok_or(PageError::NotFound)?);
    context.request.write(move |command| merge_request::mark_seen(command, &of, version)).await?;
    Ok(context.done(&page_of(&context.asked)).cookie(cookie::of_flash(Flash::MarkedAsSeen)))
}

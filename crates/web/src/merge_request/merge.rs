//! Merging, rebasing, and giving up a merge that waits.

use tenon_app::error::AppError;
use tenon_app::merge_request::{self, AcceptRequest, EditMergeRequest};
use tenon_domain::merge_request::{AcceptRefusal, CancelRefusal, marked_as_draft};

use super::show::{reference, refused};
use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::Problems;
use crate::issuable::note::page_of;
use crate::project::Room;

/// Merges, or asks for a merge as soon as the pipeline succeeds.
pub(super) async fn accept(room: Room) -> Result<Answer, PageError> {
    let of = reference(&room.asked.project, room.asked.iid()?);
    let form = room.visit.form();
    let waits = form.text("", "action") == "wait";
    let request = AcceptRequest {
        message: form.filled("", "commit_message"),
        squash_message: None,
        squash: form.ticked("", "squash"),
        remove_source_branch: Some(form.ticked("", "should_remove_source_branch")),
        when_pipeline_succeeds: waits,
        sha: form.filled("", "sha"),
    };
    match merge_request::accept(room.visit.app(), room.visit.identity(), of, request).await {
        Ok(_) if waits => Ok(room.done(&page_of(&room.asked)).cookie(cookie::of_flash(Flash::MergeWaits))),
        Ok(_) => Ok(room.done(&page_of(&room.asked))),
        Err(error) => refused(room, why(error)?).await,
    }
}

pub(super) async fn cancel(room: Room) -> Result<Answer, PageError> {
    let of = reference(&room.asked.project, room.asked.iid()?);
    match room.visit.write(move |command| merge_request::cancel(command, &of)).await {
        Ok(_) => Ok(room.done(&page_of(&room.asked)).cookie(cookie::of_flash(Flash::MergeCancelled))),
        Err(error) => refused(room, why(error)?).await,
    }
}

/// Rebases the source branch. Where that cannot be done, the page says so.
pub(super) async fn rebase(room: Room) -> Result<Answer, PageError> {
    let of = reference(&room.asked.project, room.asked.iid()?);
    match merge_request::rebase(room.visit.app(), room.visit.identity(), of).await {
        Ok(()) => Ok(room.done(&page_of(&room.asked))),
        Err(error) => refused(room, why(error)?).await,
    }
}

/// Takes the mark of a draft from the title.
pub(super) async fn mark_as_ready(room: Room) -> Result<Answer, PageError> {
    let of = reference(&room.asked.project, room.asked.iid()?);
    let known = of.clone();
    let (_, title) =
        room.visit.read(move |query| Ok(tenon_app::issuable::page(query, &known)?.view.issuable.title)).await?;
    let request = EditMergeRequest { title: Some(marked_as_draft(&title, false)), ..EditMergeRequest::default() };
    match merge_request::edit(room.visit.app(), room.visit.identity(), of, request).await {
        Ok(_) => Ok(room.done(&page_of(&room.asked))),
        Err(error) => refused(room, Problems::of(error)?).await,
    }
}

/// Why nothing was merged, in a sentence; other failures are passed on.
fn why(error: AppError) -> Result<Problems, PageError> {
    let text = match error {
        AppError::Accept(AcceptRefusal::Unauthorized) | AppError::Cancel(CancelRefusal::Unauthorized) => {
            return Err(AppError::Forbidden.into());
        }
        AppError::Accept(AcceptRefusal::NotOpen) | AppError::Cancel(CancelRefusal::NotOpen) => {
            "It is not open any more."
        }
        AppError::Accept(AcceptRefusal::CannotBeMerged) => "The branches cannot be merged as they are.",
        AppError::Accept(AcceptRefusal::NotReady) => "It is not ready to be merged.",
        AppError::Accept(AcceptRefusal::ShaMismatch(_)) => {
            "The source branch has moved since you have loaded the page. Read the new commits before you merge."
        }
        AppError::Cancel(CancelRefusal::NotWaiting) => "It does not wait for a pipeline.",
        AppError::BranchMoved => "A branch has moved in the meantime. Try again.",
        error => return Problems::of(error),
    };
    Ok(Problems::plain(text))
}

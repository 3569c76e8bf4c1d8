//! Merging, rebasing, and cancelling a merge that waits.

use tenon_app::error::AppError;
use tenon_app::merge_request::{self, AcceptRequest, EditMergeRequest};
use tenon_domain::merge_request::{AcceptRefusal, ApprovalRefusal, CancelRefusal, marked_as_draft};
use tenon_domain::refusal::{Refusal, RepositoryRefusal};

use super::show::{reference, refused};
use crate::context::project::ProjectContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;
use crate::parts::issuable::note::origin;
use crate::parts::issuable::reference::page_of;

/// Merges, or asks for a merge as soon as the pipeline succeeds.
pub(super) async fn accept(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked.project, context.asked.iid()?);
    let form = context.request.form();
    let waits = form.text("", "action") == "wait";
    let request = AcceptRequest {
        message: form.filled("", "commit_message"),
        squash_message: None,
        squash: Some(true).filter(|_| form.ticked("", "squash")),
        remove_source_branch: Some(form.ticked("", "should_remove_source_branch")),
        when_pipeline_succeeds: waits,
        sha: form.filled("", "sha"),
    };
    match merge_request::accept(context.request.app(), context.request.identity(), of, request).await {
        Ok(_) if waits => Ok(context.done(&page_of(&context.asked)).cookie(cookie::of_flash(Flash::MergeWaits))),
        Ok(_) => Ok(context.done(&page_of(&context.asked)).cookie(cookie::of_flash(Flash::Merged))),
        Err(error) => refused(context, why(error)?).await,
    }
}

pub(super) async fn cancel(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked.project, context.asked.iid()?);
    match context.request.write(move |command| merge_request::cancel(command, &of)).await {
        Ok(_) => Ok(context.done(&page_of(&context.asked)).cookie(cookie::of_flash(Flash::MergeCancelled))),
        Err(error) => refused(context, why(error)?).await,
    }
}

/// Rebases the source branch. If this fails, the page shows the reason.
pub(super) async fn rebase(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked.project, context.asked.iid()?);
    match merge_request::rebase(context.request.app(), context.request.identity(), of).await {
        Ok(()) => Ok(context.done(&page_of(&context.asked))),
        Err(error) => refused(context, why(error)?).await,
    }
}

/// Approves the commit that the page has shown.
pub(super) async fn approve(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked.project, context.asked.iid()?);
    let sha = context.request.form().filled("", "sha");
    let given = context.request.write(move |command| merge_request::approve(command, &of, sha.as_deref()));
    reviewed(given.await.map(|_| Flash::Approved), context).await
}

pub(super) async fn request_changes(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked.project, context.asked.iid()?);
    let sha = context.request.form().filled("", "sha");
    let given = context.request.write(move |command| merge_request::request_changes(command, &of, sha.as_deref()));
    reviewed(given.await.map(|_| Flash::ChangesRequested), context).await
}

/// Withdraws an approval or a request for changes.
pub(super) async fn withdraw(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked.project, context.asked.iid()?);
    let withdrawn = context.request.write(move |command| merge_request::withdraw(command, &of));
    reviewed(withdrawn.await.map(|_| Flash::ReviewWithdrawn), context).await
}

/// A button that is pressed twice finds the verdict given: the page shows it.
async fn reviewed(given: Result<Flash, AppError>, context: ProjectContext) -> Result<Answer, PageError> {
    match given {
        Ok(flash) => Ok(context.done(&origin(&context)).cookie(cookie::of_flash(flash))),
        Err(AppError::Refused(Refusal::Approval(ApprovalRefusal::Unauthorized))) if context.frame.user.is_none() => {
            Err(PageError::SignIn)
        }
        Err(error) => refused(context, why(error)?).await,
    }
}

/// Removes the mark of a draft from the title.
pub(super) async fn mark_as_ready(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked.project, context.asked.iid()?);
    let known = of.clone();
    let (_, title) =
        context.request.read(move |query| Ok(tenon_app::issuable::page(query, &known)?.view.issuable.title)).await?;
    let request = EditMergeRequest { title: Some(marked_as_draft(&title, false)), ..EditMergeRequest::default() };
    match merge_request::edit(context.request.app(), context.request.identity(), of, request).await {
        Ok(_) => Ok(context.done(&page_of(&context.asked))),
        Err(error) => refused(context, Problems::of(error)?).await,
    }
}

/// The reason why the merge failed, in a sentence. Other failures are passed on.
pub(super) fn why(error: AppError) -> Result<Problems, PageError> {
    let refusal = match error {
        AppError::Refused(refusal) => refusal,
        error => return Problems::of(error),
    };
    let text = match refusal {
        Refusal::Accept(AcceptRefusal::Unauthorized) | Refusal::Cancel(CancelRefusal::Unauthorized) => {
            return Err(AppError::Forbidden.into());
        }
        Refusal::Accept(AcceptRefusal::NotOpen) | Refusal::Cancel(CancelRefusal::NotOpen) => {
            "This merge request is no longer open."
        }
        Refusal::Accept(AcceptRefusal::CannotBeMerged) => "The branches cannot be merged automatically.",
        Refusal::Accept(AcceptRefusal::NotReady) => "This merge request is not ready to be merged.",
        Refusal::Accept(AcceptRefusal::ShaMismatch(_)) => {
            "New commits were pushed after you loaded this page. Review them before merging."
        }
        Refusal::Approval(ApprovalRefusal::ShaMismatch(_)) => {
            "New commits were pushed after you loaded this page. Review them before you decide."
        }
        Refusal::Approval(ApprovalRefusal::Unauthorized) => {
            "You cannot approve this merge request or request changes to it now."
        }
        Refusal::Approval(ApprovalRefusal::NotGiven) => "You have neither approved nor requested changes.",
        Refusal::Cancel(CancelRefusal::NotWaiting) => "Auto-merge is not enabled.",
        Refusal::Repository(RepositoryRefusal::BranchMoved) => "The branches have changed. Try again.",
        refusal => return Problems::of(AppError::Refused(refusal)),
    };
    Ok(Problems::plain(text))
}

//! Deletes and restores the source branch of a merge request that is merged.

use actix_web::http::StatusCode;
use tenon_app::Reference;
use tenon_app::error::AppError;
use tenon_app::merge_request::{self, MergeRequestPage, SourceBranch};
use tenon_app::repository::{self, NewBranch};
use tenon_domain::refusal::{Refusal, RepositoryRefusal};

use super::show::{reference, refused};
use crate::context::project::ProjectContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;
use crate::parts::issuable::reference::page_of;

/// The source branch and its name. Not found if the merge request is not merged.
async fn found(context: &ProjectContext) -> Result<(SourceBranch, String), PageError> {
    context.frame.user.as_ref().ok_or(PageError::SignIn)?;
    let of = reference(&context.asked.project, context.asked.iid()?);
    let page = context.request.ask(move |query| merge_request::page(query, &of)).await?;
    let MergeRequestPage { source_branch, view, .. } = page;
    Ok((source_branch.ok_or(PageError::NotFound)?, view.request.source_branch))
}

/// Deletes the branch. One that has moved since the merge stays: it has what is merged nowhere.
pub(super) async fn delete(context: ProjectContext) -> Result<Answer, PageError> {
    context.frame.user.as_ref().ok_or(PageError::SignIn)?;
    let of = reference(&context.asked.project, context.asked.iid()?);
    let (app, identity) = (context.request.app(), context.request.identity());
    match merge_request::delete_source_branch(app, identity, of).await {
        Ok(()) => Ok(done(&context, Flash::SourceBranchDeleted)),
        Err(error @ (AppError::NotFound(_) | AppError::Forbidden)) => Err(error.into()),
        Err(error) => refused(context, Problems::of(error)?).await,
    }
}

pub(super) async fn restore(context: ProjectContext) -> Result<Answer, PageError> {
    let (source, branch) = found(&context).await?;
    if source.is_there {
        return Ok(done(&context, Flash::SourceBranchRestored));
    }
    if !source.may_change {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let request = NewBranch { branch, from: source.head };
    let (app, identity) = (context.request.app(), context.request.identity());
    match repository::create_branch(app, identity, Reference::Id(source.project.get()), request).await {
        Ok(_) | Err(AppError::Refused(Refusal::Repository(RepositoryRefusal::BranchExists))) => {
            Ok(done(&context, Flash::SourceBranchRestored))
        }
        Err(error) => refused(context, Problems::of(error)?).await,
    }
}

fn done(context: &ProjectContext, flash: Flash) -> Answer {
    context.done(&page_of(&context.asked)).cookie(cookie::of_flash(flash))
}

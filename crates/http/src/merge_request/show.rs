//! One merge request, its pipelines, the issues that it closes, and subscriptions.

use tenon_app::merge_request::{self, MergeRequestView, ShowMergeRequest};
use tenon_domain::transition::Transition;
use tenon_edge::error::ApiError;

use crate::dto::closed_issue::ClosedIssueDto;
use crate::dto::merge_request::MergeRequestDto;
use crate::dto::pipeline::PipelineDto;
use crate::endpoint::{Call, Changed, Json, Paged};
use crate::issuable::reference;
use crate::params::{Paging, params};

params! {
    /// Optional fields of a merge request.
    pub(crate) struct ShowParams {
        /// With title and description as HTML.
        render_html: Option<bool>,
        /// With the number of commits of the target branch that the source branch does not have.
        include_diverged_commits_count: Option<bool>,
        /// With `rebase_in_progress`.
        include_rebase_in_progress: Option<bool>,
        /// Labels with their colours instead of their names alone.
        with_labels_details: Option<bool>,
    }
}

pub(super) async fn show(Call { caller, params }: Call<ShowParams>) -> Result<Json<MergeRequestDto>, ApiError> {
    let request = ShowMergeRequest {
        render_html: params.render_html == Some(true),
        diverged: params.include_diverged_commits_count == Some(true),
        labels: params.with_labels_details == Some(true),
    };
    let of = reference(&caller)?;
    let view = merge_request::show(caller.app(), caller.identity(), of, request).await?;
    let mut dto = MergeRequestDto::from(view);
    // A rebase has ended before its response is sent, so none is ever in progress.
    dto.rebase_in_progress = (params.include_rebase_in_progress == Some(true)).then_some(false);
    Ok(Json(dto))
}

pub(super) async fn subscribe(caller: Call<()>) -> Result<Changed<Json<MergeRequestDto>>, ApiError> {
    let of = reference(&caller)?;
    Ok(changed(caller.write(move |command| merge_request::subscribe(command, &of)).await?))
}

pub(super) async fn unsubscribe(caller: Call<()>) -> Result<Changed<Json<MergeRequestDto>>, ApiError> {
    let of = reference(&caller)?;
    Ok(changed(caller.write(move |command| merge_request::unsubscribe(command, &of)).await?))
}

fn changed(outcome: Transition<MergeRequestView>) -> Changed<Json<MergeRequestDto>> {
    match outcome {
        Transition::Moved(view) => Changed::Yes(Json(view.into())),
        Transition::Stayed(_) => Changed::No,
    }
}

pub(super) async fn pipelines(Call { caller, params }: Call<Paging>) -> Result<Paged<PipelineDto>, ApiError> {
    let (of, page) = (reference(&caller)?, params.into());
    let page = caller.read(move |query| merge_request::pipelines(query, &of, page)).await?;
    Ok(Paged(page.map(Into::into)))
}

pub(super) async fn closes_issues(Call { caller, params }: Call<Paging>) -> Result<Paged<ClosedIssueDto>, ApiError> {
    let (of, page) = (reference(&caller)?, params.into());
    let page = caller.read(move |query| merge_request::closes_issues(query, &of, page)).await?;
    Ok(Paged(page.map(Into::into)))
}

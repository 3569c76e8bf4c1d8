//! Merging, rebasing, and automatic merges.

use tenon_app::merge_request::{self, AcceptRequest};
use tenon_edge::error::ApiError;

use crate::dto::merge_request::{CancelledDto, MergeRefDto, MergeRequestDto, RebaseDto};
use crate::endpoint::{Call, Created, Json, Started};
use crate::issuable::reference;
use crate::params::params;

params! {
    /// The options of a merge.
    pub(crate) struct AcceptParams {
        /// The message of the merge commit.
        merge_commit_message: Option<String>,
        /// The message of the squashed commit.
        squash_commit_message: Option<String>,
        /// True to squash all commits into one.
        squash: Option<bool>,
        /// True to delete the source branch; the author's choice by default.
        should_remove_source_branch: Option<bool>,
        /// True to wait for a running pipeline before the merge.
        merge_when_pipeline_succeeds | auto_merge: Option<bool>,
        /// The expected head of the source branch; another head is refused.
        sha: Option<String>,
    }
}

pub(super) async fn accept(Call { caller, params }: Call<AcceptParams>) -> Result<Json<MergeRequestDto>, ApiError> {
    let of = reference(&caller)?;
    let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let request = AcceptRequest {
        message: said(params.merge_commit_message),
        squash_message: said(params.squash_commit_message),
        squash: params.squash,
        remove_source_branch: params.should_remove_source_branch,
        when_pipeline_succeeds: params.merge_when_pipeline_succeeds.unwrap_or(false),
        sha: params.sha,
    };
    let view = merge_request::accept(caller.app(), caller.identity(), of, request).await?;
    Ok(Json(view.into()))
}

pub(super) async fn cancel(caller: Call<()>) -> Result<Json<MergeRequestDto>, ApiError> {
    let of = reference(&caller)?;
    Ok(Json(caller.write(move |command| merge_request::cancel(command, &of)).await?.into()))
}

pub(super) async fn cancel_briefly(caller: Call<()>) -> Result<Created<CancelledDto>, ApiError> {
    let of = reference(&caller)?;
    caller.write(move |command| merge_request::cancel(command, &of)).await?;
    Ok(Created(CancelledDto { status: "success" }))
}

pub(super) async fn rebase(caller: Call<()>) -> Result<Started<RebaseDto>, ApiError> {
    let of = reference(&caller)?;
    merge_request::rebase(caller.app(), caller.identity(), of).await?;
    Ok(Started(RebaseDto { rebase_in_progress: true }))
}

pub(super) async fn merge_ref(caller: Call<()>) -> Result<Json<MergeRefDto>, ApiError> {
    let of = reference(&caller)?;
    Ok(Json(MergeRefDto { commit_id: merge_request::merge_ref(caller.app(), caller.identity(), of).await? }))
}

//! What lies between branches, tags and commits.

use tenon_app::identity::Guard;
use tenon_app::repository;

use super::project;
use crate::dto::repository::{CommitDto, ComparisonDto};
use crate::endpoint::{Call, Json, Routes};
use crate::params::{Filled, params};
use crate::wire::error::ApiError;

pub(super) fn routes(api: &mut Routes) {
    api.tag("Repositories")
        .get("/projects/{id}/repository/compare", Guard::Anyone, compare, "What one side has and the other has not.")
        .get(
            "/projects/{id}/repository/merge_base",
            Guard::Anyone,
            merge_base,
            "The last commit that several branches, tags or commits have.",
        );
}

params! {
    /// What is to be compared.
    pub(crate) struct CompareParams {
        /// A branch, tag or commit.
        from: Filled,
        /// A branch, tag or commit.
        to: Filled,
        /// Compare with `from` itself, and not with what both sides have.
        straight: Option<bool>,
    }
}

params! {
    /// Of what the common commit is wanted.
    pub(crate) struct MergeBaseParams {
        /// Branches, tags or commits, at least two.
        refs: Vec<String>,
    }
}

async fn compare(Call { caller, params }: Call<CompareParams>) -> Result<Json<ComparisonDto>, ApiError> {
    let (sides, straight) = ((params.from.0, params.to.0), params.straight.unwrap_or(false));
    let view = repository::compare(caller.app(), caller.identity(), project(&caller), sides, straight).await?;
    Ok(Json(view.into()))
}

async fn merge_base(Call { caller, params }: Call<MergeBaseParams>) -> Result<Json<CommitDto>, ApiError> {
    let view = repository::merge_base(caller.app(), caller.identity(), project(&caller), params.refs).await?;
    Ok(Json(view.into()))
}

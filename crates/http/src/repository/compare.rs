//! Comparisons and merge bases.

use tenon_app::identity::Guard;
use tenon_app::repository;
use tenon_edge::error::ApiError;

use super::project;
use crate::dto::repository::{CommitDto, ComparisonDto};
use crate::endpoint::{Call, Json, Routes};
use crate::params::{Filled, params};

pub(super) fn routes(api: &mut Routes) {
    api.tag("Repositories")
        .get("/projects/{id}/repository/compare", Guard::Anyone, compare, "Compares two revisions.")
        .get("/projects/{id}/repository/merge_base", Guard::Anyone, merge_base, "The merge base of several revisions.");
}

params! {
    /// Two revisions to compare.
    pub(crate) struct CompareParams {
        /// A branch, tag or commit.
        from: Filled,
        /// A branch, tag or commit.
        to: Filled,
        /// Compare with `from` itself instead of the merge base.
        straight: Option<bool>,
    }
}

params! {
    /// Revisions with a common ancestor.
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

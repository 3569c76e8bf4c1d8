//! The objects that belong to a user, and those that wait for one, as numbers.

use tenon_app::user;
use tenon_domain::id::UserId;

use crate::dto::user_counts::{AssociationsDto, WorkloadDto};
use crate::endpoint::{Call, Json};
use tenon_edge::error::ApiError;

pub(super) async fn associations(call: Call<()>) -> Result<Json<AssociationsDto>, ApiError> {
    let id = UserId::new(call.path_i64("id")?);
    let counts = call.read(move |query| user::associations(query, id)).await?;
    Ok(Json(counts.into()))
}

pub(super) async fn workload(call: Call<()>) -> Result<Json<WorkloadDto>, ApiError> {
    let counts = call.read(user::workload).await?;
    Ok(Json(counts.into()))
}

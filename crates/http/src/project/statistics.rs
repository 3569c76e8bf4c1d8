//! How often a project was fetched.

use tenon_app::{Reference, project};
use tenon_edge::error::ApiError;

use crate::dto::project::FetchStatisticsDto;
use crate::endpoint::{Call, Json};

pub(super) async fn show(call: Call<()>) -> Result<Json<FetchStatisticsDto>, ApiError> {
    let id = Reference::parse(call.path("id"));
    Ok(Json(call.read(move |query| project::fetches(query, &id)).await?.into()))
}

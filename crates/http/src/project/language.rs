//! The languages of a project.

use tenon_app::{Reference, repository};
use tenon_edge::error::ApiError;

use crate::dto::project::LanguagesDto;
use crate::endpoint::{Call, Json};

pub(super) async fn list(call: Call<()>) -> Result<Json<LanguagesDto>, ApiError> {
    let id = Reference::parse(call.path("id"));
    let found = call.read(move |query| repository::languages(query, &id)).await?;
    Ok(Json(LanguagesDto(found)))
}

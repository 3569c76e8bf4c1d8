//! The languages of a project.

use tenon_app::{Reference, repository};

use crate::dto::project::LanguagesDto;
use crate::endpoint::{Call, Json};
use crate::wire::error::ApiError;

pub(super) async fn list(call: Call<()>) -> Result<Json<LanguagesDto>, ApiError> {
    let id = Reference::parse(call.path("id"));
    let found = call.read(move |query| repository::languages(query, &id)).await?;
    Ok(Json(LanguagesDto(found)))
}

//! The languages of a project (specification 2, Languages result).

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use tenon_app::{Reference, repository};
use utoipa::ToSchema;

use crate::call::Call;
use crate::error::ApiError;
use crate::reply::Json;

/// Percent of the bytes by language, the largest first.
#[derive(Debug, ToSchema)]
#[schema(value_type = std::collections::HashMap<String, f64>)]
pub(crate) struct LanguagesDto(Vec<(String, f64)>);

// An object whose order means something.
impl Serialize for LanguagesDto {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, percent) in &self.0 {
            map.serialize_entry(name, percent)?;
        }
        map.end()
    }
}

pub(super) async fn list(call: Call<()>) -> Result<Json<LanguagesDto>, ApiError> {
    let id = Reference::parse(call.path("id"));
    let found = call.read(move |query| repository::languages(query, &id)).await?;
    Ok(Json(LanguagesDto(found)))
}

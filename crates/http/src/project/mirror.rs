//! The mirror of a project: its state, and its update.

use tenon_app::{Reference, project};
use tenon_edge::error::ApiError;

use crate::dto::mirror::MirrorDto;
use crate::endpoint::{Call, Json};

pub(super) async fn show(call: Call<()>) -> Result<Json<MirrorDto>, ApiError> {
    let id = Reference::parse(call.path("id"));
    Ok(Json(call.read(move |query| project::mirror(query, &id)).await?.into()))
}

pub(super) async fn pull(call: Call<()>) -> Result<Json<MirrorDto>, ApiError> {
    let id = Reference::parse(call.path("id"));
    Ok(Json(call.write(move |command| project::update_mirror(command, &id)).await?.into()))
}

//! One group.

use tenon_app::Reference;
use tenon_app::group::{self, ShowGroup};
use tenon_edge::error::ApiError;

use crate::dto::group::GroupDetailDto;
use crate::endpoint::{Call, Json};
use crate::params::params;

params! {
    /// Optional fields of a group.
    pub(crate) struct ShowParams {
        /// With custom attributes; administrators only.
        with_custom_attributes: Option<bool>,
        /// With its projects; yes by default.
        with_projects: Option<bool>,
        /// With statistics; administrators only.
        statistics: Option<bool>,
    }
}

pub(super) async fn show(Call { caller, params }: Call<ShowParams>) -> Result<Json<GroupDetailDto>, ApiError> {
    let id = Reference::parse(caller.path("id"));
    let request = ShowGroup {
        with_projects: params.with_projects.unwrap_or(true),
        with_custom_attributes: params.with_custom_attributes.unwrap_or(false),
        statistics: params.statistics.unwrap_or(false),
    };
    let view = caller.read(move |query| group::show(query, &id, request)).await?;
    Ok(Json(view.into()))
}

//! One project and its users.

use tenon_app::Reference;
use tenon_app::project::{self, ShowProject};
use tenon_edge::error::ApiError;

use crate::dto::project::ProjectDto;
use crate::dto::user::UserRefDto;
use crate::endpoint::{Call, Json, Paged};
use crate::params::{Paging, params};

params! {
    /// Optional fields of a project.
    pub(crate) struct ShowParams {
        /// With statistics.
        statistics: Option<bool>,
        /// With custom attributes; administrators only.
        with_custom_attributes: Option<bool>,
        /// With its licence.
        license: Option<bool>,
    }
}

params! {
    /// Filters of the users of a project.
    pub(crate) struct UsersParams {
        /// Part of a name or user name, or a whole address.
        search: Option<String>,
        paging: Paging,
    }
}

pub(super) async fn show(Call { caller, params }: Call<ShowParams>) -> Result<Json<ProjectDto>, ApiError> {
    let id = Reference::parse(caller.path("id"));
    let request = ShowProject {
        statistics: params.statistics.unwrap_or(false),
        with_custom_attributes: params.with_custom_attributes.unwrap_or(false),
        license: params.license.unwrap_or(false),
    };
    let view = caller.read(move |query| project::show(query, &id, request)).await?;
    Ok(Json(ProjectDto::present(view)))
}

pub(super) async fn users(Call { caller, params }: Call<UsersParams>) -> Result<Paged<UserRefDto>, ApiError> {
    let id = Reference::parse(caller.path("id"));
    let page =
        caller.read(move |query| project::users(query, &id, params.search.as_deref(), params.paging.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

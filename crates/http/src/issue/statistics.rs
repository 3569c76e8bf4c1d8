//! The number of open and closed issues of a list.

use tenon_app::identity::Guard;
use tenon_app::issuable::Scope;
use tenon_app::{Reference, issue};
use tenon_edge::error::ApiError;

use super::list::ListParams;
use super::project;
use crate::dto::issue::IssueStatisticsDto;
use crate::endpoint::{Call, Json, Routes};
use crate::issuable::issuables;

pub(super) fn routes(api: &mut Routes) {
    api.tag("Issue statistics")
        .get("/issues_statistics", Guard::SignedIn, everywhere, "The number of the caller's open and closed issues.")
        .get(
            "/groups/{id}/issues_statistics",
            Guard::SignedIn,
            of_group,
            "How many issues of a group are in each state.",
        )
        .get(
            "/projects/{id}/issues_statistics",
            Guard::SignedIn,
            of_project,
            "How many issues of a project are in each state.",
        );
}

async fn everywhere(Call { caller, params }: Call<ListParams>) -> Result<Json<IssueStatisticsDto>, ApiError> {
    let request = params.into_request(Scope::CreatedByMe);
    Ok(Json(issuables(&caller, request, issue::statistics).await?.into()))
}

async fn of_group(Call { caller, params }: Call<ListParams>) -> Result<Json<IssueStatisticsDto>, ApiError> {
    let (group, request) = (Reference::parse(caller.path("id")), params.into_request(Scope::All));
    let counts =
        issuables(&caller, request, move |query, request| issue::statistics_of_group(query, &group, request)).await?;
    Ok(Json(counts.into()))
}

async fn of_project(Call { caller, params }: Call<ListParams>) -> Result<Json<IssueStatisticsDto>, ApiError> {
    let (project, request) = (project(&caller), params.into_request(Scope::All));
    let counts =
        issuables(&caller, request, move |query, request| issue::statistics_of_project(query, &project, request))
            .await?;
    Ok(Json(counts.into()))
}

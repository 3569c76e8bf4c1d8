//! Contribution events.

mod stream;

use chrono::NaiveDate;
use tenon_app::Reference;
use tenon_app::contribution::{self, ContributionView, ListContributions};
use tenon_app::identity::Guard;
use tenon_domain::contribution::{ContributionAction, ContributionTarget};
use tenon_domain::page::Page;
use tenon_domain::token::ScopeRule;
use tenon_edge::error::ApiError;

use crate::dto::contribution::ContributionDto;
use crate::endpoint::{Call, Paged, Routes};
use crate::params::sort::Sort;
use crate::params::{Paging, params};

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Events")
        .get("/projects/{id}/events", Guard::Anyone, of_project, "What people do in a project.")
        .get(
            "/events/stream",
            Guard::SignedIn,
            stream::follow,
            "What happens where the caller may see it, as it happens.",
        )
        .scope(ScopeRule::ReadUser)
        .get("/events", Guard::SignedIn, own, "What the caller does.")
        .get("/users/{id}/events", Guard::Anyone, of_user, "What a user does.");
}

params! {
    /// Filters of contributions.
    pub(crate) struct ListParams {
        /// With this action.
        action: Option<ContributionAction>,
        /// With this type of target.
        target_type: Option<ContributionTarget>,
        /// Before this day.
        before: Option<NaiveDate>,
        /// After this day.
        after: Option<NaiveDate>,
        /// Sort direction; newest first by default.
        sort: Option<Sort>,
        paging: Paging,
    }
}

impl From<ListParams> for ListContributions {
    fn from(params: ListParams) -> Self {
        Self {
            action: params.action,
            target: params.target_type,
            before: params.before,
            after: params.after,
            ascending: params.sort == Some(Sort::Asc),
            page: params.paging.into(),
        }
    }
}

fn present(page: Page<ContributionView>) -> Paged<ContributionDto> {
    Paged(page.map(Into::into))
}

async fn own(Call { caller, params }: Call<ListParams>) -> Result<Paged<ContributionDto>, ApiError> {
    let request = params.into();
    Ok(present(caller.read(move |query| contribution::own(query, &request)).await?))
}

async fn of_user(Call { caller, params }: Call<ListParams>) -> Result<Paged<ContributionDto>, ApiError> {
    let (user, request) = (Reference::parse(caller.path("id")), params.into());
    Ok(present(caller.read(move |query| contribution::of_user(query, &user, &request)).await?))
}

async fn of_project(Call { caller, params }: Call<ListParams>) -> Result<Paged<ContributionDto>, ApiError> {
    let (project, request) = (Reference::parse(caller.path("id")), params.into());
    Ok(present(caller.read(move |query| contribution::of_project(query, &project, &request)).await?))
}

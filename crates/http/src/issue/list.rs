//! Lists of issues.

use tenon_app::error::AppError;
use tenon_app::issuable::{IssuableView, ListIssuables, Scope, StateFilter};
use tenon_app::{Query, Reference, issue};
use tenon_domain::page::Page;
use tenon_edge::error::ApiError;

use super::project;
use crate::dto::issue::IssueDto;
use crate::endpoint::{Call, Caller, Paged};
use crate::issuable::{FilterParams, NotParams, issuables};
use crate::params::{StrictHash, choice, params};

choice! {
    /// The state.
    pub(crate) enum StateParam {
        /// Open ones.
        Opened = "opened",
        /// Closed ones.
        Closed = "closed",
        /// All of them.
        All = "all",
    }
}

params! {
    /// Filters of issues.
    pub(crate) struct ListParams {
        /// In this state; in any by default.
        state: Option<StateParam>,
        filter: FilterParams,
        /// Only confidential issues, or none of them.
        confidential: Option<bool>,
        /// Issues to leave out.
        not: StrictHash<NotParams>,
    }
}

impl ListParams {
    pub(super) fn into_request(self, default: Scope) -> ListIssuables {
        ListIssuables {
            state: match self.state {
                Some(StateParam::Opened) => Some(StateFilter::Opened),
                Some(StateParam::Closed) => Some(StateFilter::Closed),
                Some(StateParam::All) | None => None,
            },
            confidential: self.confidential,
            not: self.not.0.map(NotParams::into_request).unwrap_or_default(),
            ..self.filter.into_request(default)
        }
    }
}

async fn run(
    caller: &Caller,
    request: ListIssuables,
    list: impl FnOnce(&mut Query<'_>, &ListIssuables) -> Result<Page<IssuableView>, AppError> + Send + 'static,
) -> Result<Paged<IssueDto>, ApiError> {
    let page = issuables(caller, request, list).await?;
    Ok(present(page))
}

fn present(page: Page<IssuableView>) -> Paged<IssueDto> {
    Paged(page.map(IssueDto::listed))
}

pub(super) async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<IssueDto>, ApiError> {
    run(&caller, params.into_request(Scope::CreatedByMe), issue::list).await
}

pub(super) async fn of_group(Call { caller, params }: Call<ListParams>) -> Result<Paged<IssueDto>, ApiError> {
    let group = Reference::parse(caller.path("id"));
    let request = params.into_request(Scope::All);
    run(&caller, request, move |query, request| issue::of_group(query, &group, request)).await
}

pub(super) async fn of_project(Call { caller, params }: Call<ListParams>) -> Result<Paged<IssueDto>, ApiError> {
    let project = project(&caller);
    let request = params.into_request(Scope::All);
    run(&caller, request, move |query, request| issue::of_project(query, &project, request)).await
}

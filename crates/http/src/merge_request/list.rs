//! Lists of merge requests.

use tenon_app::error::AppError;
use tenon_app::issuable::{BranchFilter, ListIssuables, NotIssuables, Scope, StateFilter};
use tenon_app::merge_request::{self, MergeRequestView};
use tenon_app::{Query, Reference};
use tenon_domain::id::UserId;
use tenon_domain::page::Page;
use tenon_edge::error::ApiError;

use crate::dto::merge_request::ListedDto;
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
        /// Being merged.
        Locked = "locked",
        /// Merged ones.
        Merged = "merged",
        /// All of them.
        All = "all",
    }
}

choice! {
    /// The fields of the result.
    pub(crate) enum ViewParam {
        /// Number, title, description, state, dates and URL.
        Simple = "simple",
    }
}

choice! {
    /// Yes or no.
    pub(crate) enum YesNo {
        /// Yes.
        Yes = "yes",
        /// No.
        No = "no",
    }
}

params! {
    /// Filters of merge requests.
    pub(crate) struct ListParams {
        /// In this state; in any by default.
        state: Option<StateParam>,
        filter: FilterParams,
        /// The fields of the result; all by default.
        view: Option<ViewParam>,
        /// With this source branch.
        source_branch: Option<String>,
        /// With this target branch.
        target_branch: Option<String>,
        /// Drafts only, or no drafts.
        wip: Option<YesNo>,
        /// The same, under the name that newer clients use.
        draft: Option<bool>,
        /// With this user as reviewer.
        reviewer_id: Option<i64>,
        /// With the user of this name as reviewer.
        reviewer_username: Option<String>,
        /// Merge requests to leave out.
        not: StrictHash<NotMergeRequestParams>,
    }
}

params! {
    /// Merge requests to leave out.
    pub(crate) struct NotMergeRequestParams {
        common: NotParams,
        /// With this source branch.
        source_branch: Option<String>,
        /// With this target branch.
        target_branch: Option<String>,
        /// With this user as reviewer.
        reviewer_id: Option<i64>,
        /// With the user of this name as reviewer.
        reviewer_username: Option<String>,
    }
}

impl NotMergeRequestParams {
    fn into_request(self) -> NotIssuables {
        NotIssuables {
            source_branch: filled(self.source_branch),
            target_branch: filled(self.target_branch),
            reviewer: self.reviewer_id.map(UserId::new),
            reviewer_username: filled(self.reviewer_username),
            ..self.common.into_request()
        }
    }
}

fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

impl ListParams {
    fn into_request(self, default: Scope) -> ListIssuables {
        ListIssuables {
            state: match self.state {
                Some(StateParam::Opened) => Some(StateFilter::Opened),
                Some(StateParam::Closed) => Some(StateFilter::Closed),
                Some(StateParam::Locked) => Some(StateFilter::Locked),
                Some(StateParam::Merged) => Some(StateFilter::Merged),
                Some(StateParam::All) | None => None,
            },
            branches: BranchFilter {
                source: filled(self.source_branch),
                target: filled(self.target_branch),
                draft: self.draft.or(self.wip.map(|wip| wip == YesNo::Yes)),
                reviewer: self.reviewer_id.map(UserId::new),
            },
            reviewer_username: filled(self.reviewer_username),
            not: self.not.0.map(NotMergeRequestParams::into_request).unwrap_or_default(),
            ..self.filter.into_request(default)
        }
    }
}

async fn run(
    caller: &Caller,
    params: ListParams,
    default: Scope,
    list: impl FnOnce(&mut Query<'_>, &ListIssuables) -> Result<Page<MergeRequestView>, AppError> + Send + 'static,
) -> Result<Paged<ListedDto>, ApiError> {
    let is_simple = params.view.is_some();
    let request = params.into_request(default);
    let page = issuables(caller, request, list).await?;
    Ok(Paged(page.map(if is_simple { ListedDto::simple } else { ListedDto::full })))
}

pub(super) async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<ListedDto>, ApiError> {
    run(&caller, params, Scope::CreatedByMe, merge_request::list).await
}

pub(super) async fn of_group(Call { caller, params }: Call<ListParams>) -> Result<Paged<ListedDto>, ApiError> {
    let group = Reference::parse(caller.path("id"));
    run(&caller, params, Scope::All, move |query, request| merge_request::of_group(query, &group, request)).await
}

pub(super) async fn of_project(Call { caller, params }: Call<ListParams>) -> Result<Paged<ListedDto>, ApiError> {
    let project = Reference::parse(caller.path("id"));
    run(&caller, params, Scope::All, move |query, request| merge_request::of_project(query, &project, request)).await
}

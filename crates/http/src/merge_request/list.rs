//! Lists of merge requests.

use chrono::{DateTime, Utc};
use tenon_app::issuable::{
    BranchFilter, IssuableOrder, IssuablePlace, ListIssuables, NotIssuables, Scope, StateFilter,
};
use tenon_app::{Query, Reference, merge_request};
use tenon_domain::id::UserId;
use tenon_edge::error::ApiError;

use crate::dto::merge_request::ListedDto;
use crate::endpoint::{Call, Caller, Listed};
use crate::issuable::{FilterParams, NotParams, NumberParam, approved, issuables};
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

choice! {
    /// The orders of a list of merge requests.
    pub(crate) enum OrderBy {
        /// Date of creation.
        CreatedAt = "created_at",
        /// Date of the last change.
        UpdatedAt = "updated_at",
        /// Id.
        Id = "id",
        /// Title.
        Title = "title",
        /// When it was merged.
        MergedAt = "merged_at",
        /// The day on which its milestone is due.
        MilestoneDue = "milestone_due",
        /// The most important label.
        LabelPriority = "label_priority",
        /// The day on which its milestone is due, then the most important label.
        Priority = "priority",
        /// Thumbs up.
        Popularity = "popularity",
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
        /// Sort key; the date of creation by default. Those without what is compared come last.
        order_by: Option<OrderBy>,
        /// Approved by all these users; `None` for those without an approval, `Any` for those with one.
        approved_by_ids: Option<Vec<NumberParam>>,
        /// Of projects whose rules of approval name all these users; `None` and `Any` as above.
        approver_ids: Option<Vec<NumberParam>>,
        /// Accepted and without effect.
        #[expect(dead_code, reason = "the status is always that of now")]
        with_merge_status_recheck: Option<bool>,
        /// Accepted and without effect.
        #[expect(dead_code, reason = "lists are not filtered by deployments")]
        deployed_after: Option<DateTime<Utc>>,
        /// Accepted and without effect.
        #[expect(dead_code, reason = "lists are not filtered by deployments")]
        deployed_before: Option<DateTime<Utc>>,
        /// Accepted and without effect.
        #[expect(dead_code, reason = "lists are not filtered by deployments")]
        environment: Option<String>,
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
                approved_by: approved(self.approved_by_ids),
                approvers: approved(self.approver_ids),
                ..BranchFilter::default()
            },
            order_by: match self.order_by {
                None | Some(OrderBy::CreatedAt) => IssuableOrder::CreatedAt,
                Some(OrderBy::UpdatedAt) => IssuableOrder::UpdatedAt,
                Some(OrderBy::Id) => IssuableOrder::Id,
                Some(OrderBy::Title) => IssuableOrder::Title,
                Some(OrderBy::MergedAt) => IssuableOrder::MergedAt,
                Some(OrderBy::MilestoneDue) => IssuableOrder::MilestoneDue,
                Some(OrderBy::LabelPriority) => IssuableOrder::LabelPriority,
                Some(OrderBy::Priority) => IssuableOrder::Priority,
                Some(OrderBy::Popularity) => IssuableOrder::Popularity,
            },
            reviewer_username: filled(self.reviewer_username),
            not: self.not.0.map(NotMergeRequestParams::into_request).unwrap_or_default(),
            ..self.filter.into_request(default)
        }
    }
}

async fn find(
    caller: &Caller,
    place: IssuablePlace,
    params: ListParams,
    default: Scope,
) -> Result<Listed<ListedDto>, ApiError> {
    let (is_simple, keyset) = (params.view.is_some(), params.filter.keyset());
    let request = params.into_request(default);
    let list = move |query: &mut Query<'_>, request: &ListIssuables| {
        merge_request::find(query, &place, request, keyset.as_ref())
    };
    let found = issuables(caller, request, list).await?;
    Ok(Listed(found.map(if is_simple { ListedDto::simple } else { ListedDto::full })))
}

pub(super) async fn list(Call { caller, params }: Call<ListParams>) -> Result<Listed<ListedDto>, ApiError> {
    find(&caller, IssuablePlace::Everywhere, params, Scope::CreatedByMe).await
}

pub(super) async fn of_group(Call { caller, params }: Call<ListParams>) -> Result<Listed<ListedDto>, ApiError> {
    let group = Reference::parse(caller.path("id"));
    find(&caller, IssuablePlace::OfGroup(group), params, Scope::All).await
}

pub(super) async fn of_project(Call { caller, params }: Call<ListParams>) -> Result<Listed<ListedDto>, ApiError> {
    let project = Reference::parse(caller.path("id"));
    find(&caller, IssuablePlace::OfProject(project), params, Scope::All).await
}

//! Lists of issues.

use tenon_app::issuable::{DueWish, IssuableOrder, IssuablePlace, ListIssuables, Scope, StateFilter};
use tenon_app::{Reference, issue};
use tenon_domain::issuable::IssueType;
use tenon_edge::error::ApiError;

use super::project;
use crate::dto::issue::IssueDto;
use crate::endpoint::{Call, Caller, Listed};
use crate::issuable::{FilterParams, NotParams, NumberParam, issuables, weight};
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

choice! {
    /// The orders of a list of issues.
    pub(crate) enum OrderBy {
        /// Date of creation.
        CreatedAt = "created_at",
        /// Date of the last change.
        UpdatedAt = "updated_at",
        /// Id.
        Id = "id",
        /// Title.
        Title = "title",
        /// The day on which it is due.
        DueDate = "due_date",
        /// The day on which its milestone is due.
        MilestoneDue = "milestone_due",
        /// The most important label.
        LabelPriority = "label_priority",
        /// The day on which its milestone is due, then the most important label.
        Priority = "priority",
        /// Thumbs up.
        Popularity = "popularity",
        /// Weight.
        Weight = "weight",
        /// Place in the order in which users have put issues; newer ones come first where they have put none.
        RelativePosition = "relative_position",
    }
}

choice! {
    /// When issues are due.
    pub(crate) enum DueParam {
        /// On no day.
        None = "0",
        /// On some day.
        Any = "any",
        /// Today.
        Today = "today",
        /// Tomorrow.
        Tomorrow = "tomorrow",
        /// Before today.
        Overdue = "overdue",
        /// In this week, from Monday to Sunday.
        Week = "week",
        /// In this month.
        Month = "month",
        /// From two weeks ago to the end of the next month.
        Around = "next_month_and_previous_two_weeks",
    }
}

params! {
    /// Filters of issues.
    pub(crate) struct ListParams {
        /// In this state; in any by default.
        state: Option<StateParam>,
        filter: FilterParams,
        /// Sort key; the date of creation by default. Issues without what is compared come last.
        order_by: Option<OrderBy>,
        /// When they are due; `0` for those that are due on no day.
        due_date: Option<DueParam>,
        /// Of this type.
        issue_type: Option<IssueType>,
        /// Of this weight; `None` for those without one, `Any` for those with one.
        weight: Option<NumberParam>,
        /// Only confidential issues, or none of them.
        confidential: Option<bool>,
        /// Issues to leave out.
        not: StrictHash<NotParams>,
    }
}

impl ListParams {
    pub(super) fn into_request(self, default: Scope) -> ListIssuables {
        let request = self.filter.into_request(default);
        ListIssuables {
            state: match self.state {
                Some(StateParam::Opened) => Some(StateFilter::Opened),
                Some(StateParam::Closed) => Some(StateFilter::Closed),
                Some(StateParam::All) | None => None,
            },
            confidential: self.confidential,
            not: self.not.0.map(NotParams::into_request).unwrap_or_default(),
            due: match self.due_date {
                None => DueWish::Whatever,
                Some(DueParam::None) => DueWish::None,
                Some(DueParam::Any) => DueWish::Any,
                Some(DueParam::Today) => DueWish::Today,
                Some(DueParam::Tomorrow) => DueWish::Tomorrow,
                Some(DueParam::Overdue) => DueWish::Overdue,
                Some(DueParam::Week) => DueWish::Week,
                Some(DueParam::Month) => DueWish::Month,
                Some(DueParam::Around) => DueWish::NextMonthAndPreviousTwoWeeks,
            },
            issue_type: self.issue_type,
            weight: weight(self.weight),
            order_by: match self.order_by {
                None | Some(OrderBy::CreatedAt) => IssuableOrder::CreatedAt,
                Some(OrderBy::UpdatedAt) => IssuableOrder::UpdatedAt,
                Some(OrderBy::Id) => IssuableOrder::Id,
                Some(OrderBy::RelativePosition) => IssuableOrder::RelativePosition,
                Some(OrderBy::Title) => IssuableOrder::Title,
                Some(OrderBy::DueDate) => IssuableOrder::DueDate,
                Some(OrderBy::MilestoneDue) => IssuableOrder::MilestoneDue,
                Some(OrderBy::LabelPriority) => IssuableOrder::LabelPriority,
                Some(OrderBy::Priority) => IssuableOrder::Priority,
                Some(OrderBy::Popularity) => IssuableOrder::Popularity,
                Some(OrderBy::Weight) => IssuableOrder::Weight,
            },
            ..request
        }
    }
}

async fn find(
    caller: &Caller,
    place: IssuablePlace,
    params: ListParams,
    default: Scope,
) -> Result<Listed<IssueDto>, ApiError> {
    let keyset = params.filter.keyset();
    let request = params.into_request(default);
    let found =
        issuables(caller, request, move |query, request| issue::find(query, &place, request, keyset.as_ref())).await?;
    Ok(Listed(found.map(IssueDto::listed)))
}

pub(super) async fn list(Call { caller, params }: Call<ListParams>) -> Result<Listed<IssueDto>, ApiError> {
    find(&caller, IssuablePlace::Everywhere, params, Scope::CreatedByMe).await
}

pub(super) async fn of_group(Call { caller, params }: Call<ListParams>) -> Result<Listed<IssueDto>, ApiError> {
    let group = Reference::parse(caller.path("id"));
    find(&caller, IssuablePlace::OfGroup(group), params, Scope::All).await
}

pub(super) async fn of_project(Call { caller, params }: Call<ListParams>) -> Result<Listed<IssueDto>, ApiError> {
    let project = project(&caller);
    find(&caller, IssuablePlace::OfProject(project), params, Scope::All).await
}

//! The filters that lists of issues and of merge requests share.

use chrono::{DateTime, Utc};
use serde_json::Value;
use tenon_app::issuable::{
    AssigneeWish, BranchFilter, DueWish, IssuableOrder, LabelFilter, ListIssuables, MilestoneFilter, NotIssuables,
    Scope, SearchIn, UsersFilter, WeightFilter,
};
use tenon_domain::id::UserId;
use tenon_domain::keyset::KeysetRequest;
use tenon_domain::label::split_names;
use utoipa::openapi::Schema;

use crate::params::sort::Sort;
use crate::params::{KeysetPaging, Reading, Scalar, choice, params};

choice! {
    /// Relation to the caller. Older clients write dashes.
    pub(crate) enum ScopeParam {
        /// Created by the caller.
        CreatedByMe = "created_by_me",
        /// Assigned to the caller.
        AssignedToMe = "assigned_to_me",
        /// All.
        All = "all",
        /// As `created_by_me`.
        DashedCreatedByMe = "created-by-me",
        /// As `assigned_to_me`.
        DashedAssignedToMe = "assigned-to-me",
    }
}

choice! {
    /// Where a text is searched.
    pub(crate) enum SearchPlace {
        /// In the title.
        Title = "title",
        /// In the description.
        Description = "description",
    }
}

/// `None`, `Any` or a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberParam {
    /// None.
    None,
    /// Any.
    Any,
    /// This one.
    Is(i64),
}

impl Scalar for NumberParam {
    fn scalar(value: &Value) -> Reading<Self> {
        match String::scalar(value) {
            Reading::Is(text) if text.is_empty() => Reading::Empty,
            Reading::Is(text) if is_none(&text) => Reading::Is(Self::None),
            Reading::Is(text) if is_any(&text) => Reading::Is(Self::Any),
            Reading::Is(text) => text.parse().ok().map(Self::Is).into(),
            Reading::Empty => Reading::Empty,
            Reading::Wrong => Reading::Wrong,
        }
    }

    fn schema() -> Schema {
        String::schema()
    }
}

/// The weight that is asked for.
pub(crate) const fn weight(wish: Option<NumberParam>) -> WeightFilter {
    match wish {
        None => WeightFilter::Whatever,
        Some(NumberParam::None) => WeightFilter::None,
        Some(NumberParam::Any) => WeightFilter::Any,
        Some(NumberParam::Is(weight)) => WeightFilter::Is(weight),
    }
}

/// The users who are asked for; the words `None` and `Any` outrank numbers.
pub(crate) fn approved(wishes: Option<Vec<NumberParam>>) -> UsersFilter {
    let wishes = wishes.unwrap_or_default();
    if wishes.contains(&NumberParam::None) {
        return UsersFilter::None;
    }
    if wishes.contains(&NumberParam::Any) {
        return UsersFilter::Any;
    }
    let users: Vec<UserId> = wishes
        .into_iter()
        .filter_map(|wish| match wish {
            NumberParam::Is(id) => Some(UserId::new(id)),
            NumberParam::None | NumberParam::Any => None,
        })
        .collect();
    if users.is_empty() { UsersFilter::Whatever } else { UsersFilter::All(users) }
}

params! {
    /// Filters of issues or merge requests.
    pub(crate) struct FilterParams {
        /// With all these labels; `None` for those without any, `Any` for those with some.
        labels: Option<Vec<String>>,
        /// With a milestone of this title; `None`, `Any`, `#upcoming` and `#started` have special meanings.
        milestone: Option<String>,
        /// Relation to the caller; `created_by_me` by default on the global list.
        scope: Option<ScopeParam>,
        /// Opened by this user.
        author_id: Option<i64>,
        /// Opened by the user of this name.
        author_username: Option<String>,
        /// Assigned to this user; 0 or `None` for unassigned, `Any` for assigned.
        assignee_id: Option<NumberParam>,
        /// Assigned to all users of these names.
        assignee_username: Option<Vec<String>>,
        /// To which the caller has reacted with this emoji; `Any` for any emoji, `None` for no reaction.
        my_reaction_emoji: Option<String>,
        /// With one of these numbers.
        iids: Option<Vec<i64>>,
        /// Sort direction; descending by default.
        sort: Option<Sort>,
        /// Text that the title or the description contains.
        search: Option<String>,
        /// Where `search` looks: in the `title`, in the `description`, or in both, as by default.
        r#in: Option<Vec<SearchPlace>>,
        /// Opened at or after this moment.
        created_after: Option<DateTime<Utc>>,
        /// Opened at or before this moment.
        created_before: Option<DateTime<Utc>>,
        /// Last changed at or after this moment.
        updated_after: Option<DateTime<Utc>>,
        /// Last changed at or before this moment.
        updated_before: Option<DateTime<Utc>>,
        /// Labels with their colours instead of their names alone.
        with_labels_details: Option<bool>,
        paging: KeysetPaging,
    }
}

params! {
    /// Issues or merge requests to leave out.
    pub(crate) struct NotParams {
        /// With any of these labels; `None` for those without any, `Any` for those with some.
        labels: Option<Vec<String>>,
        /// With a milestone of this title; `None`, `Any`, `#upcoming` and `#started` have special meanings.
        milestone: Option<String>,
        /// Opened by this user.
        author_id: Option<i64>,
        /// Opened by the user of this name.
        author_username: Option<String>,
        /// Assigned to this user; 0 or `None` for unassigned, `Any` for assigned.
        assignee_id: Option<NumberParam>,
        /// Assigned to any user of these names.
        assignee_username: Option<Vec<String>>,
        /// To which the caller has reacted with this emoji; `Any` for any emoji, `None` for no reaction.
        my_reaction_emoji: Option<String>,
        /// With any of these numbers.
        iids: Option<Vec<i64>>,
        /// Text that the title or the description contains.
        search: Option<String>,
    }
}

impl NotParams {
    /// The conditions for the use cases. Those that only merge requests have are left empty.
    pub(crate) fn into_request(self) -> NotIssuables {
        NotIssuables {
            labels: labels(self.labels),
            milestone: milestone(self.milestone),
            author: self.author_id.map(UserId::new),
            author_username: self.author_username.filter(|name| !name.is_empty()),
            assignee: assignee(self.assignee_id, None),
            assignee_usernames: self.assignee_username.unwrap_or_default(),
            my_reaction_emoji: self.my_reaction_emoji.filter(|name| !name.is_empty()),
            iids: self.iids.unwrap_or_default(),
            search: self.search,
            ..NotIssuables::default()
        }
    }
}

impl FilterParams {
    /// The request for the use cases; `default` is the scope if none was sent. Filters that only one of the two kinds
    /// has are left empty.
    pub(crate) fn into_request(self, default: Scope) -> ListIssuables {
        ListIssuables {
            scope: match self.scope {
                None => default,
                Some(ScopeParam::CreatedByMe | ScopeParam::DashedCreatedByMe) => Scope::CreatedByMe,
                Some(ScopeParam::AssignedToMe | ScopeParam::DashedAssignedToMe) => Scope::AssignedToMe,
                Some(ScopeParam::All) => Scope::All,
            },
            state: None,
            labels: labels(self.labels),
            milestone: milestone(self.milestone),
            author: self.author_id.map(UserId::new),
            author_username: self.author_username.filter(|name| !name.is_empty()),
            assignee: assignee(self.assignee_id, self.assignee_username),
            my_reaction_emoji: self.my_reaction_emoji.filter(|name| !name.is_empty()),
            iids: self.iids.filter(|iids| !iids.is_empty()),
            search: self.search,
            search_in: search_in(&self.r#in.unwrap_or_default()),
            due: DueWish::Whatever,
            issue_type: None,
            weight: WeightFilter::Whatever,
            confidential: None,
            created_after: self.created_after,
            created_before: self.created_before,
            updated_after: self.updated_after,
            updated_before: self.updated_before,
            branches: BranchFilter::default(),
            reviewer_username: None,
            without_archived: false,
            not: NotIssuables::default(),
            with_labels_details: self.with_labels_details.unwrap_or(false),
            order_by: IssuableOrder::CreatedAt,
            descending: self.sort != Some(Sort::Asc),
            page: self.paging.page,
        }
    }

    /// The page of keyset pagination; `None` for a page with a number.
    pub(crate) fn keyset(&self) -> Option<KeysetRequest> {
        self.paging.keyset.clone()
    }
}

/// Where a text is searched: in both places, unless only one is named.
fn search_in(places: &[SearchPlace]) -> SearchIn {
    match (places.contains(&SearchPlace::Title), places.contains(&SearchPlace::Description)) {
        (true, false) => SearchIn::Title,
        (false, true) => SearchIn::Description,
        (true, true) | (false, false) => SearchIn::Both,
    }
}

fn is_none(text: &str) -> bool {
    text.eq_ignore_ascii_case("none")
}

fn is_any(text: &str) -> bool {
    text.eq_ignore_ascii_case("any")
}

/// `No Label` has its meaning anywhere in the list; the newer words only alone, because they could be names of labels.
fn labels(given: Option<Vec<String>>) -> LabelFilter {
    let names = split_names(given.iter().flatten().map(String::as_str));
    if names.iter().any(|name| name.eq_ignore_ascii_case("no label")) {
        return LabelFilter::None;
    }
    match names.as_slice() {
        [] => LabelFilter::Whatever,
        [name] if is_none(name) => LabelFilter::None,
        [name] if is_any(name) || name.eq_ignore_ascii_case("any label") => LabelFilter::Any,
        _ => LabelFilter::All(names),
    }
}

fn milestone(given: Option<String>) -> MilestoneFilter {
    let Some(title) = given else { return MilestoneFilter::Whatever };
    match title.to_ascii_lowercase().as_str() {
        "" => MilestoneFilter::Whatever,
        "none" | "no milestone" => MilestoneFilter::None,
        "any" | "any milestone" => MilestoneFilter::Any,
        "#upcoming" => MilestoneFilter::Upcoming,
        "#started" => MilestoneFilter::Started,
        _ => MilestoneFilter::Titled(title),
    }
}

/// An id takes precedence over names. No user has the id 0: older clients send it for `None`.
fn assignee(id: Option<NumberParam>, names: Option<Vec<String>>) -> AssigneeWish {
    match (id, names) {
        (Some(NumberParam::None | NumberParam::Is(0)), _) => AssigneeWish::None,
        (Some(NumberParam::Any), _) => AssigneeWish::Any,
        (Some(NumberParam::Is(id)), _) => AssigneeWish::User(UserId::new(id)),
        (None, Some(names)) if !names.is_empty() => AssigneeWish::Named(names),
        (None, Some(_) | None) => AssigneeWish::Whatever,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_words_for_no_label_and_any_label_are_no_names() {
        let all = |names: &[&str]| LabelFilter::All(names.iter().map(|&name| name.to_owned()).collect());
        for (given, want) in [
            (vec![], LabelFilter::Whatever),
            (vec![" , "], LabelFilter::Whatever),
            (vec!["No Label"], LabelFilter::None),
            (vec!["bug", "no label"], LabelFilter::None),
            (vec!["NONE"], LabelFilter::None),
            (vec!["any"], LabelFilter::Any),
            (vec!["Any Label"], LabelFilter::Any),
            (vec!["bug", "None"], all(&["bug", "None"])),
            (vec!["bug, ui", "x"], all(&["bug", "ui", "x"])),
        ] {
            let names = given.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(labels(Some(names)), want, "{given:?}");
        }
        assert_eq!(labels(None), LabelFilter::Whatever);
    }

    #[test]
    fn the_words_for_milestones_are_no_titles() {
        for (given, want) in [
            ("", MilestoneFilter::Whatever),
            ("No Milestone", MilestoneFilter::None),
            ("none", MilestoneFilter::None),
            ("Any Milestone", MilestoneFilter::Any),
            ("ANY", MilestoneFilter::Any),
            ("#upcoming", MilestoneFilter::Upcoming),
            ("#started", MilestoneFilter::Started),
            ("v1.0", MilestoneFilter::Titled("v1.0".to_owned())),
        ] {
            assert_eq!(milestone(Some(given.to_owned())), want, "{given}");
        }
    }

    #[test]
    fn a_number_may_also_be_none_or_any() {
        for (value, want) in [
            (json!(0), Reading::Is(NumberParam::Is(0))),
            (json!("None"), Reading::Is(NumberParam::None)),
            (json!("any"), Reading::Is(NumberParam::Any)),
            (json!("7"), Reading::Is(NumberParam::Is(7))),
            (json!(""), Reading::Empty),
            (json!(null), Reading::Empty),
            (json!("ann"), Reading::Wrong),
        ] {
            assert_eq!(NumberParam::scalar(&value), want, "{value}");
        }
    }

    #[test]
    fn an_assignee_is_an_id_none_or_any() {
        for (id, want) in [
            (NumberParam::Is(0), AssigneeWish::None),
            (NumberParam::None, AssigneeWish::None),
            (NumberParam::Any, AssigneeWish::Any),
            (NumberParam::Is(7), AssigneeWish::User(UserId::new(7))),
        ] {
            assert_eq!(assignee(Some(id), Some(vec!["ann".to_owned()])), want, "{id:?}");
        }
        assert_eq!(assignee(None, Some(vec!["ann".to_owned()])), AssigneeWish::Named(vec!["ann".to_owned()]));
        assert_eq!(assignee(None, None), AssigneeWish::Whatever);
    }
}

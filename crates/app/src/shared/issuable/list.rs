//! The parameters of lists of issues and merge requests.

use std::collections::BTreeSet;

use chrono::{Datelike as _, Months};
use tenon_domain::id::{MilestoneId, UserId};
use tenon_domain::issuable::IssueType;
use tenon_domain::page::PageRequest;
use tenon_domain::search::Search;
use tenon_domain::time::{Date, Days, Timestamp};
use tenon_storage::issuable::{
    BranchFilter, DueFilter, Exclusion, IssuableFilter, IssuableOrder, LabelFilter, MilestoneFilter, ReactionFilter,
    SearchIn, StateFilter, UsersFilter, VisibleIssuables, WeightFilter,
};
use tenon_storage::milestone::{self, MilestoneFilter as Usable};
use tenon_storage::user;

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::policy::authorization::AuthorizedProject;

/// More names than this no list is narrowed to: each is a condition of its own.
const MAX_NAMES: usize = 50;

/// Whose issues or merge requests a list has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those that the caller opened.
    CreatedByMe,
    /// Those assigned to the caller.
    AssignedToMe,
    /// All of them.
    All,
}

/// Who is asked for as an assignee.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AssigneeWish {
    /// Any or none.
    #[default]
    Whatever,
    /// None.
    None,
    /// Any.
    Any,
    /// This user.
    User(UserId),
    /// All users of these names.
    Named(Vec<String>),
}

/// When issues are to be due.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DueWish {
    /// Whenever.
    #[default]
    Whatever,
    /// On no day.
    None,
    /// On some day.
    Any,
    /// Today.
    Today,
    /// Tomorrow.
    Tomorrow,
    /// Before today.
    Overdue,
    /// In this week, from Monday to Sunday.
    Week,
    /// In this month.
    Month,
    /// From two weeks ago to the end of the next month.
    NextMonthAndPreviousTwoWeeks,
}

impl DueWish {
    /// The days that are meant `today`.
    fn seen_from(self, today: Date) -> DueFilter {
        let around = |first: Option<Date>, last: Option<Date>| {
            DueFilter::Between(first.unwrap_or(Date::MIN), last.unwrap_or(Date::MAX))
        };
        let week = u64::from(today.weekday().num_days_from_monday());
        let month = today.with_day(1);
        let end_of_month = |first: Option<Date>| first?.checked_add_months(Months::new(1))?.pred_opt();
        match self {
            Self::Whatever => DueFilter::Whatever,
            Self::None => DueFilter::None,
            Self::Any => DueFilter::Any,
            Self::Today => DueFilter::Between(today, today),
            Self::Tomorrow => around(today.succ_opt(), today.succ_opt()),
            Self::Overdue => DueFilter::Before(today),
            Self::Week => around(today.checked_sub_days(Days::new(week)), today.checked_add_days(Days::new(6 - week))),
            Self::Month => around(month, end_of_month(month)),
            Self::NextMonthAndPreviousTwoWeeks => {
                let next = month.and_then(|first| first.checked_add_months(Months::new(1)));
                around(today.checked_sub_days(Days::new(14)), end_of_month(next))
            }
        }
    }
}

/// A request for issues or merge requests.
#[derive(Debug, Clone)]
pub struct ListIssuables {
    /// The author or assignee.
    pub scope: Scope,
    /// In this state.
    pub state: Option<StateFilter>,
    /// With these labels.
    pub labels: LabelFilter,
    /// With this milestone.
    pub milestone: MilestoneFilter,
    /// Opened by this user.
    pub author: Option<UserId>,
    /// Opened by the user of this name.
    pub author_username: Option<String>,
    /// Assigned to whom.
    pub assignee: AssigneeWish,
    /// To which the caller has reacted so; `Any` if they have reacted at all, `None` if they have not.
    pub my_reaction_emoji: Option<String>,
    /// With one of these numbers.
    pub iids: Option<Vec<i64>>,
    /// Title or description.
    pub search: Option<String>,
    /// In which of the two.
    pub search_in: SearchIn,
    /// When they are due; issues only.
    pub due: DueWish,
    /// Of this type; issues only.
    pub issue_type: Option<IssueType>,
    /// Of this weight; issues only.
    pub weight: WeightFilter,
    /// Confidential ones only, or none of them.
    pub confidential: Option<bool>,
    /// From this moment on.
    pub created_after: Option<Timestamp>,
    /// Up to this moment.
    pub created_before: Option<Timestamp>,
    /// From this moment on.
    pub updated_after: Option<Timestamp>,
    /// Up to this moment.
    pub updated_before: Option<Timestamp>,
    /// The filters for merge requests only.
    pub branches: BranchFilter,
    /// To be reviewed by the user of this name.
    pub reviewer_username: Option<String>,
    /// None of archived projects.
    pub without_archived: bool,
    /// The rows that are left out.
    pub not: NotIssuables,
    /// Labels with their colours.
    pub with_labels_details: bool,
    /// The order of the list.
    pub order_by: IssuableOrder,
    /// Falling instead of rising.
    pub descending: bool,
    /// Which page.
    pub page: PageRequest,
}

/// The conditions that a list leaves out. Each condition that is set leaves out the rows that fulfil it.
#[derive(Debug, Clone, Default)]
pub struct NotIssuables {
    /// With any of these labels.
    pub labels: LabelFilter,
    /// With this milestone.
    pub milestone: MilestoneFilter,
    /// Opened by this user.
    pub author: Option<UserId>,
    /// Opened by the user of this name.
    pub author_username: Option<String>,
    /// Assigned to whom.
    pub assignee: AssigneeWish,
    /// Assigned to any user of these names.
    pub assignee_usernames: Vec<String>,
    /// To which the caller has reacted so, as in [`ListIssuables`].
    pub my_reaction_emoji: Option<String>,
    /// With any of these numbers.
    pub iids: Vec<i64>,
    /// Title or description.
    pub search: Option<String>,
    /// From this branch.
    pub source_branch: Option<String>,
    /// Into this branch.
    pub target_branch: Option<String>,
    /// To be reviewed by this user.
    pub reviewer: Option<UserId>,
    /// To be reviewed by the user of this name.
    pub reviewer_username: Option<String>,
}

impl ListIssuables {
    /// True if the list may have to read very many rows for a page: if it is searched, or if no index has its order.
    #[must_use]
    pub fn reads_many_rows(&self) -> bool {
        let searches = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
        searches(&self.search) || searches(&self.not.search) || self.order_by.keyed().is_none()
    }

    /// All that the caller may see, newest first.
    #[must_use]
    pub fn everything(page: PageRequest) -> Self {
        Self {
            scope: Scope::All,
            state: None,
            labels: LabelFilter::default(),
            milestone: MilestoneFilter::default(),
            author: None,
            author_username: None,
            assignee: AssigneeWish::Whatever,
            my_reaction_emoji: None,
            iids: None,
            search: None,
            search_in: SearchIn::default(),
            due: DueWish::default(),
            issue_type: None,
            weight: WeightFilter::default(),
            confidential: None,
            created_after: None,
            created_before: None,
            updated_after: None,
            updated_before: None,
            branches: BranchFilter::default(),
            reviewer_username: None,
            without_archived: false,
            not: NotIssuables::default(),
            with_labels_details: false,
            order_by: IssuableOrder::CreatedAt,
            descending: true,
            page,
        }
    }
}

/// `None` if nothing can match, because a named user does not exist. A value that means the caller is refused if there
/// is no account.
pub(crate) fn filter(
    query: &mut Query<'_>,
    reach: VisibleIssuables,
    request: &ListIssuables,
) -> Result<Option<IssuableFilter>, AppError> {
    let today = query.today();
    let labels = match &request.labels {
        LabelFilter::All(names) => LabelFilter::All(each_once("labels", names, Clone::clone)?),
        LabelFilter::Whatever | LabelFilter::None | LabelFilter::Any => request.labels.clone(),
    };
    let mut authors: Vec<UserId> = request.author.into_iter().collect();
    let mut assignees: Vec<UserId> = Vec::new();
    match request.scope {
        Scope::CreatedByMe => authors.push(query.user()?.id),
        Scope::AssignedToMe => assignees.push(query.user()?.id),
        Scope::All => {}
    }
    if let Some(name) = &request.author_username {
        let Some(user) = user::find_by_username(&mut query.tx, name)? else { return Ok(None) };
        authors.push(user.id);
    }
    let assignee = match &request.assignee {
        AssigneeWish::Whatever if assignees.is_empty() => UsersFilter::Whatever,
        AssigneeWish::None if assignees.is_empty() => UsersFilter::None,
        // Assigned to the caller and to no user at all: nothing matches.
        AssigneeWish::None => return Ok(None),
        AssigneeWish::Any if assignees.is_empty() => UsersFilter::Any,
        AssigneeWish::Whatever | AssigneeWish::Any => UsersFilter::All(assignees),
        AssigneeWish::User(user) => {
            assignees.push(*user);
            UsersFilter::All(assignees)
        }
        AssigneeWish::Named(names) => {
            let names = each_once("assignee_username", names, |name| name.to_ascii_lowercase())?;
            let found = user::by_usernames(&mut query.tx, &names)?;
            let known = |name: &String| found.iter().any(|user| user.username.eq_ignore_ascii_case(name));
            if !names.iter().all(known) {
                return Ok(None);
            }
            assignees.extend(found.into_iter().map(|user| user.id));
            UsersFilter::All(assignees)
        }
    };
    let mut branches = request.branches.clone();
    if let Some(name) = &request.reviewer_username {
        let Some(user) = user::find_by_username(&mut query.tx, name)? else { return Ok(None) };
        branches.reviewer = Some(user.id);
    }
    for (name, filter) in [("approved_by_ids", &branches.approved_by), ("approver_ids", &branches.approvers)] {
        if matches!(filter, UsersFilter::All(users) if users.len() > MAX_NAMES) {
            return Err(too_many(name));
        }
    }
    let reaction = own_reaction(query, request.my_reaction_emoji.as_deref())?;
    let not = exclusion(query, &request.not)?;
    Ok(Some(IssuableFilter {
        not,
        state: request.state,
        labels,
        milestone: request.milestone.clone(),
        authors,
        assignee,
        reaction,
        iids: request.iids.clone(),
        search: request.search.as_deref().and_then(Search::parse),
        search_in: request.search_in,
        due: request.due.seen_from(today),
        issue_type: request.issue_type,
        weight: request.weight,
        confidential: request.confidential,
        created_after: request.created_after,
        created_before: request.created_before,
        updated_after: request.updated_after,
        updated_before: request.updated_before,
        branches,
        without_archived: request.without_archived,
        ..IssuableFilter::new(reach, today)
    }))
}

/// How the caller has reacted.
fn own_reaction(query: &Query<'_>, name: Option<&str>) -> Result<Option<(UserId, ReactionFilter)>, AppError> {
    let Some(name) = name else { return Ok(None) };
    let filter = match name.to_lowercase().as_str() {
        "none" => ReactionFilter::None,
        "any" => ReactionFilter::Any,
        _ => ReactionFilter::Named(tenon_markdown::emoji_name(name).unwrap_or(name).to_owned()),
    };
    Ok(Some((query.user()?.id, filter)))
}

/// The exclusions of `not`. The name of no user leaves nothing out.
fn exclusion(query: &mut Query<'_>, not: &NotIssuables) -> Result<Exclusion, AppError> {
    let labels = match &not.labels {
        LabelFilter::All(names) => LabelFilter::All(each_once("not[labels]", names, Clone::clone)?),
        LabelFilter::Whatever | LabelFilter::None | LabelFilter::Any => not.labels.clone(),
    };
    let names = each_once("not[assignee_username]", &not.assignee_usernames, |name| name.to_ascii_lowercase())?;
    let mut all: Vec<String> = names.clone();
    all.extend(not.author_username.iter().chain(&not.reviewer_username).map(|name| name.to_ascii_lowercase()));
    let users = if all.is_empty() { Vec::new() } else { user::by_usernames(&mut query.tx, &all)? };
    let id_of = |name: &String| users.iter().find(|user| user.username.eq_ignore_ascii_case(name)).map(|user| user.id);
    let mut assignees: Vec<UserId> = names.iter().filter_map(id_of).collect();
    let mut conditions = Vec::new();
    match not.assignee {
        AssigneeWish::Whatever | AssigneeWish::Named(_) => {}
        AssigneeWish::None => conditions.push(UsersFilter::None),
        AssigneeWish::Any => conditions.push(UsersFilter::Any),
        AssigneeWish::User(user) => assignees.push(user),
    }
    if !assignees.is_empty() {
        conditions.push(UsersFilter::All(assignees));
    }
    Ok(Exclusion {
        labels,
        milestone: not.milestone.clone(),
        authors: not.author.into_iter().chain(not.author_username.as_ref().and_then(id_of)).collect(),
        assignees: conditions,
        reaction: own_reaction(query, not.my_reaction_emoji.as_deref())?,
        iids: not.iids.clone(),
        search: not.search.as_deref().and_then(Search::parse),
        source: not.source_branch.clone(),
        target: not.target_branch.clone(),
        reviewers: not.reviewer.into_iter().chain(not.reviewer_username.as_ref().and_then(id_of)).collect(),
    })
}

/// The names of a parameter in the form that `key` gives them, each once; 400 if that are too many.
fn each_once(parameter: &str, names: &[String], key: impl Fn(&String) -> String) -> Result<Vec<String>, AppError> {
    let distinct: BTreeSet<String> = names.iter().map(key).collect();
    if distinct.len() > MAX_NAMES {
        return Err(too_many(parameter));
    }
    Ok(distinct.into_iter().collect())
}

fn too_many(parameter: &str) -> AppError {
    AppError::invalid(parameter, format!("are too many (maximum is {MAX_NAMES})"))
}

/// The milestone of that id if it can be used in a project; any other is no error, but none.
pub(crate) fn usable_milestone(
    command: &mut Command<'_>,
    home: &AuthorizedProject,
    id: Option<MilestoneId>,
) -> Result<Option<MilestoneId>, AppError> {
    let Some(id) = id else { return Ok(None) };
    let usable = Usable::usable_in(home.project.id);
    Ok(milestone::find(&mut command.tx, &usable, id)?.map(|milestone| milestone.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_and_orders_without_an_index_read_many_rows() {
        let all = || ListIssuables::everything(PageRequest::default());
        let text = |text: &str| Some(text.to_owned());
        for (request, want) in [
            (all(), false),
            (ListIssuables { search: text("  "), ..all() }, false),
            (ListIssuables { search: text("bug"), ..all() }, true),
            (ListIssuables { not: NotIssuables { search: text("bug"), ..NotIssuables::default() }, ..all() }, true),
        ] {
            assert_eq!(request.reads_many_rows(), want, "{request:?}");
        }
        for (order_by, want) in [
            (IssuableOrder::Id, false),
            (IssuableOrder::CreatedAt, false),
            (IssuableOrder::UpdatedAt, false),
            (IssuableOrder::Title, true),
            (IssuableOrder::DueDate, true),
            (IssuableOrder::MilestoneDue, true),
            (IssuableOrder::LabelPriority, true),
            (IssuableOrder::Priority, true),
            (IssuableOrder::Popularity, true),
            (IssuableOrder::Weight, true),
            (IssuableOrder::MergedAt, true),
            (IssuableOrder::RelativePosition, true),
        ] {
            assert_eq!(ListIssuables { order_by, ..all() }.reads_many_rows(), want, "{order_by:?}");
        }
    }

    #[test]
    fn days_are_counted_from_today() {
        let day = |text: &str| text.parse::<Date>().unwrap();
        // A Saturday.
        let today = day("2026-01-31");
        for (wish, first, last) in [
            (DueWish::Today, "2026-01-31", "2026-01-31"),
            (DueWish::Tomorrow, "2026-02-01", "2026-02-01"),
            (DueWish::Week, "2026-01-26", "2026-02-01"),
            (DueWish::Month, "2026-01-01", "2026-01-31"),
            (DueWish::NextMonthAndPreviousTwoWeeks, "2026-01-17", "2026-02-28"),
        ] {
            assert_eq!(wish.seen_from(today), DueFilter::Between(day(first), day(last)), "{wish:?}");
        }
        assert_eq!(DueWish::Overdue.seen_from(today), DueFilter::Before(today));
    }
}

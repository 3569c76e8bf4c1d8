//! Conditions on rows of issues and merge requests that a list may ask for as well as leave out.

use chrono::NaiveDate;
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use diesel::sql_types::{Bool, Date};
use tenon_domain::id::UserId;
use tenon_domain::merge_request::Verdict;
use tenon_domain::search::Search;

use super::filter::{DueFilter, MilestoneFilter, SearchIn, UsersFilter, WeightFilter};
use crate::db::connection::Backend;
use crate::db::predicate::{Condition, matches, tested};
use crate::schema::{approval_rule_users, approval_rules, issuables, merge_request_verdicts, milestones};

/// With such a milestone; `None` if any will do.
pub(super) fn of_milestone(wanted: &MilestoneFilter, today: NaiveDate) -> Option<Condition<issuables::table>> {
    // A row without a milestone is none of them: NULL is not true.
    let of_issue = issuables::milestone_id.assume_not_null();
    let ids = milestones::table.select(milestones::id);
    Some(match wanted {
        MilestoneFilter::Whatever => return None,
        MilestoneFilter::None => Box::new(issuables::milestone_id.is_null()),
        MilestoneFilter::Any => Box::new(issuables::milestone_id.is_not_null()),
        MilestoneFilter::Is(id) => Box::new(of_issue.eq(id.get())),
        MilestoneFilter::Titled(title) => Box::new(of_issue.eq_any(ids.filter(milestones::title.eq(title.clone())))),
        MilestoneFilter::Started => {
            let begun = ids.filter(milestones::state.eq("active")).filter(milestones::start_date.le(today));
            Box::new(of_issue.eq_any(begun))
        }
        MilestoneFilter::Upcoming => Box::new(due_next(today)),
    })
}

/// With a milestone that is, of those of its project or group, the active one that is due next.
fn due_next(today: NaiveDate) -> impl BoxableExpression<issuables::table, Backend, SqlType = Bool> {
    diesel::dsl::sql::<Bool>(
        "EXISTS (SELECT 1 FROM milestones WHERE milestones.id = issuables.milestone_id \
         AND milestones.state = 'active' AND milestones.due_date > ",
    )
    .bind::<Date, _>(today)
    .sql(
        " AND NOT EXISTS (SELECT 1 FROM milestones AS others WHERE others.state = 'active' \
         AND (others.project_id = milestones.project_id OR others.namespace_id = milestones.namespace_id) \
         AND (others.due_date < milestones.due_date \
         OR (others.due_date = milestones.due_date AND others.id < milestones.id)) AND others.due_date > ",
    )
    .bind::<Date, _>(today)
    .sql("))")
}

/// The condition that title or description match, or the one of them that is asked for.
pub(super) fn words_in(search: &Search, place: SearchIn) -> Option<Condition<issuables::table>> {
    match place {
        SearchIn::Both => matches(search, &[tested!(issuables::title), tested!(issuables::description)]),
        SearchIn::Title => matches(search, &[tested!(issuables::title)]),
        SearchIn::Description => matches(search, &[tested!(issuables::description)]),
    }
}

/// Due then; `None` if any day will do.
pub(super) fn of_due_date(wanted: DueFilter) -> Option<Condition<issuables::table>> {
    let day = issuables::due_date.assume_not_null();
    Some(match wanted {
        DueFilter::Whatever => return None,
        DueFilter::None => Box::new(issuables::due_date.is_null()),
        DueFilter::Any => Box::new(issuables::due_date.is_not_null()),
        DueFilter::Before(end) => Box::new(day.lt(end)),
        DueFilter::Between(first, last) => Box::new(day.ge(first).and(day.le(last))),
    })
}

/// Of that weight; `None` if any will do.
pub(super) fn of_weight(wanted: WeightFilter) -> Option<Condition<issuables::table>> {
    Some(match wanted {
        WeightFilter::Whatever => return None,
        WeightFilter::None => Box::new(issuables::weight.is_null()),
        WeightFilter::Any => Box::new(issuables::weight.is_not_null()),
        WeightFilter::Is(weight) => Box::new(issuables::weight.assume_not_null().eq(weight)),
    })
}

/// Merge requests that these users have approved. "By no user" is asked of each row: as `<> ALL` of all that were approved,
/// PostgreSQL would compare every row with every one of them.
pub(super) fn approved_by(wanted: &UsersFilter) -> Vec<Condition<issuables::table>> {
    let approvals =
        || merge_request_verdicts::table.filter(merge_request_verdicts::verdict.eq(Verdict::Approved.as_str()));
    let approved = || approvals().select(merge_request_verdicts::issuable_id);
    match wanted {
        UsersFilter::Whatever => Vec::new(),
        UsersFilter::None => {
            let of_it = approvals().filter(merge_request_verdicts::issuable_id.eq(issuables::id));
            vec![Box::new(not(exists(of_it)))]
        }
        UsersFilter::Any => vec![Box::new(issuables::id.eq_any(approved()))],
        UsersFilter::All(users) => {
            let by = |user: &UserId| -> Condition<issuables::table> {
                Box::new(issuables::id.eq_any(approved().filter(merge_request_verdicts::user_id.eq(user.get()))))
            };
            users.iter().map(by).collect()
        }
    }
}

/// Merge requests into projects whose rules of approval name these users.
pub(super) fn approvable_by(wanted: &UsersFilter) -> Vec<Condition<issuables::table>> {
    let all = || approval_rule_users::table.select(approval_rule_users::rule_id);
    let projects = || approval_rules::table.select(approval_rules::project_id);
    match wanted {
        UsersFilter::Whatever => Vec::new(),
        UsersFilter::None => {
            let names_users =
                exists(approval_rule_users::table.filter(approval_rule_users::rule_id.eq(approval_rules::id)));
            let of_project =
                approval_rules::table.filter(approval_rules::project_id.eq(issuables::project_id)).filter(names_users);
            vec![Box::new(not(exists(of_project)))]
        }
        UsersFilter::Any => {
            let named = projects().filter(approval_rules::id.eq_any(all()));
            vec![Box::new(issuables::project_id.eq_any(named))]
        }
        UsersFilter::All(users) => {
            let of = |user: &UserId| -> Condition<issuables::table> {
                let rules = all().filter(approval_rule_users::user_id.eq(user.get()));
                Box::new(issuables::project_id.eq_any(projects().filter(approval_rules::id.eq_any(rules))))
            };
            users.iter().map(of).collect()
        }
    }
}

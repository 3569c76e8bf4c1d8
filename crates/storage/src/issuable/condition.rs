//! Conditions on rows of issues and merge requests that a list may ask for as well as leave out.

use chrono::NaiveDate;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Date};
use tenon_domain::search::Search;

use super::filter::MilestoneFilter;
use crate::db::connection::Backend;
use crate::db::predicate::{Condition, matches, tested};
use crate::schema::{issuables, milestones};

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

/// The condition that title or description match.
pub(super) fn words_in(search: &Search) -> Option<Condition<issuables::table>> {
    matches(search, &[tested!(issuables::title), tested!(issuables::description)])
}

//! How far a milestone is.

use std::collections::HashMap;

use tenon_domain::group::GroupAction;
use tenon_domain::id::MilestoneId;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::milestone::burn_down;
use tenon_domain::project::ProjectAction;
use tenon_domain::time::Date;
use tenon_storage::issuable::{self, StateCounts, count_by_state};

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::container::{AuthorizedContainer, ContainerReference};
use crate::shared::issuable::milestones::{belonging, find, visible_in};

/// The most issues that a burn-down counts.
const MOST_COUNTED: i64 = 20_000;

/// The closed and open parts of a milestone, as far as the caller may see them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MilestoneProgress {
    /// Issues by state.
    pub issues: StateCounts,
    /// Merge requests by state; merged ones are neither opened nor closed.
    pub merge_requests: StateCounts,
    /// How many issues were open at the end of each day from the first day of the milestone, or else the one on which it was
    /// made, to its last one or today, 366 days at most; the newest 20,000 issues count. Issues count from when they were made.
    pub open_by_day: Vec<(Date, usize)>,
}

/// How many issues and merge requests each of these milestones of a project or group has, as far as the caller may see them:
/// those that are done, and all. Milestones without any are left out.
pub fn done_of(
    query: &mut Query<'_>,
    of: &ContainerReference,
    ids: &[MilestoneId],
) -> Result<HashMap<MilestoneId, (i64, i64)>, AppError> {
    let home = AuthorizedContainer::find(query, of, ProjectAction::ReadPlanning, GroupAction::Read)?;
    let mut found: HashMap<MilestoneId, (i64, i64)> = HashMap::new();
    for kind in [IssuableKind::Issue, IssuableKind::MergeRequest] {
        let visible = visible_in(query, &home, kind)?;
        for (id, (open, others)) in issuable::count_by_milestones(&mut query.tx, &visible, ids)? {
            let (done, all) = found.entry(id).or_default();
            *done += others;
            *all += open + others;
        }
    }
    Ok(found)
}

/// The progress of a milestone, for those who may see it.
pub fn progress(
    query: &mut Query<'_>,
    of: &ContainerReference,
    id: MilestoneId,
) -> Result<MilestoneProgress, AppError> {
    let milestone = find(query, of, id)?;
    let today = query.today();
    let issues = belonging(query, &milestone, IssuableKind::Issue)?;
    let merge_requests = belonging(query, &milestone, IssuableKind::MergeRequest)?;
    let lifetimes = issuable::lifetimes(&mut query.tx, &issues, MOST_COUNTED)?;
    let first = milestone.start_date.unwrap_or_else(|| milestone.created_at.date_naive());
    let last = milestone.due_date.map_or(today, |due| due.min(today));
    Ok(MilestoneProgress {
        issues: count_by_state(&mut query.tx, &issues)?,
        merge_requests: count_by_state(&mut query.tx, &merge_requests)?,
        open_by_day: burn_down(&lifetimes, first, last),
    })
}

//! The fields that only those may set who look after a project: people, milestone, labels, day, lock.

use tenon_domain::id::{MilestoneId, UserId};
use tenon_domain::issuable::{IssueType, MAX_WEIGHT};
use tenon_domain::label::clean_name;
use tenon_domain::patch::Patch;
use tenon_domain::time::Date;

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::issuable::AuthorizedIssuable;
use crate::shared::issuable::aggregate::sort_labels;
use crate::shared::issuable::list::usable_milestone;
use crate::shared::issuable::{labels, people};
use crate::shared::issuable_aggregate::IssuableAggregate;

/// The change of the labels.
#[derive(Debug, Clone, Default)]
pub struct LabelChange {
    /// These and no others.
    pub all: Option<Vec<String>>,
    /// These as well.
    pub add: Vec<String>,
    /// These no longer.
    pub remove: Vec<String>,
}

/// The change of a list of people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PeopleChange {
    /// These and no others; none if empty.
    All(Vec<UserId>),
    /// Some more, and some no longer. People whom another user has just added stay.
    Some {
        /// These as well.
        add: Vec<UserId>,
        /// These no longer.
        remove: Vec<UserId>,
    },
}

impl PeopleChange {
    /// The people of now with this change.
    pub(crate) fn applied_to(&self, now: &[UserId]) -> Vec<UserId> {
        match self {
            Self::All(ids) => ids.clone(),
            Self::Some { add, remove } => {
                let mut ids: Vec<UserId> = now.iter().filter(|id| !remove.contains(id)).copied().collect();
                ids.extend(add.iter().filter(|id| !now.contains(id)));
                ids
            }
        }
    }
}

/// A request to set that.
#[derive(Debug, Clone, Default)]
pub struct Triage {
    /// The change of the assignees.
    pub assignees: Option<PeopleChange>,
    /// Another milestone, or none.
    pub milestone: Patch<MilestoneId>,
    /// The changes of the labels.
    pub labels: LabelChange,
    /// When it is due, or no day.
    pub due_date: Patch<Date>,
    /// How much work it is, or no weight.
    pub weight: Patch<i64>,
    /// The type.
    pub issue_type: Option<IssueType>,
    /// True if only members may comment.
    pub discussion_locked: Option<bool>,
}

/// A weight as it was sent; 400 if there is no such weight.
pub(crate) fn weight(given: i64) -> Result<i64, AppError> {
    if (0..=MAX_WEIGHT).contains(&given) {
        return Ok(given);
    }
    Err(AppError::invalid("weight", format!("must be between 0 and {MAX_WEIGHT}")))
}

/// Sets what is asked for in `after`, which is still to be stored. The caller must have been found to be permitted.
pub(crate) fn triage(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    after: &mut IssuableAggregate,
    request: Triage,
) -> Result<(), AppError> {
    let project = found.home.project.id;
    match request.milestone {
        Patch::Absent => {}
        Patch::Clear => after.issuable.milestone = None,
        Patch::Set(id) => after.issuable.milestone = usable_milestone(command, &found.home, Some(id))?,
    }
    after.issuable.due_date = request.due_date.apply(after.issuable.due_date);
    after.issuable.weight = match request.weight {
        Patch::Set(given) => Some(weight(given)?),
        other => other.apply(after.issuable.weight),
    };
    after.issuable.issue_type = request.issue_type.unwrap_or(after.issuable.issue_type);
    after.issuable.discussion_locked = request.discussion_locked.or(after.issuable.discussion_locked);
    if let Some(change) = &request.assignees {
        let wanted = change.applied_to(&after.assignees);
        people::check_count(&command.query(), "assignee_ids", &wanted)?;
        let assignable = people::assignable(&mut command.query(), found, &wanted)?;
        // If no named user can be assigned, the assignees stay.
        if wanted.is_empty() || !assignable.is_empty() {
            after.assignees = assignable;
        }
    }
    let LabelChange { all, add, remove } = request.labels;
    let before = after.labels.len();
    if let Some(names) = all {
        after.labels = labels::find_or_create(command, project, &names)?;
    }
    after.labels.extend(labels::find_or_create(command, project, &add)?);
    let remove: Vec<String> = remove.iter().map(|name| clean_name(name)).collect();
    after.labels.retain(|(_, name)| !remove.contains(name));
    sort_labels(after);
    labels::check_count(before, after.labels.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_people_keeps_those_whom_another_user_has_added() {
        let ids = |numbers: &[i64]| -> Vec<UserId> { numbers.iter().copied().map(UserId::new).collect() };
        let change = PeopleChange::Some { add: ids(&[3, 2]), remove: ids(&[1]) };
        assert_eq!(change.applied_to(&ids(&[1, 2, 7])), ids(&[2, 7, 3]));
        assert_eq!(PeopleChange::All(ids(&[5])).applied_to(&ids(&[1, 2])), ids(&[5]));
    }
}

//! The content of a project before it gets issues: labels and milestones.

use anyhow::Result;
use tenon_domain::container::Container;
use tenon_domain::id::{Iid, LabelId, MilestoneId, ProjectId, UserId};
use tenon_domain::label::Label;
use tenon_domain::milestone::{Milestone, MilestoneState};
use tenon_domain::time::{Date, Timestamp};
use tenon_storage::iid::{self, Counted};
use tenon_storage::{WriteTx, label, milestone};

use super::words::LABELS;
use super::{FIRST_YEAR, YEARS};

/// A project whose issues can be made.
pub(super) struct Tracker {
    pub(super) project: ProjectId,
    /// The users who work on it, or did.
    pub(super) people: Vec<UserId>,
    pub(super) labels: Vec<LabelId>,
    /// One a year.
    pub(super) milestones: Vec<MilestoneId>,
    /// The number of its last issue.
    pub(super) last: i64,
}

impl Tracker {
    /// Gives a project its labels and milestones, all but the last of which are reached.
    pub(super) fn make(tx: &mut WriteTx<'_>, project: ProjectId, people: Vec<UserId>, at: Timestamp) -> Result<Self> {
        let container = Container::Project(project);
        let mut labels = Vec::with_capacity(LABELS.len());
        for (name, color) in LABELS {
            let new = Label {
                id: LabelId::new(0),
                container,
                name: name.to_owned(),
                color: color.to_owned(),
                description: None,
                archived: false,
            };
            labels.push(label::insert(tx, &new, at)?);
        }
        let mut milestones = Vec::new();
        for year in (FIRST_YEAR..).take(YEARS) {
            let new = Milestone {
                id: MilestoneId::new(0),
                iid: iid::next(tx, container, Counted::Milestone)?,
                container,
                title: year.to_string(),
                description: String::new(),
                state: if milestones.len() + 1 < YEARS {
                    MilestoneState::Closed { at }
                } else {
                    MilestoneState::Active
                },
                start_date: Date::from_ymd_opt(year, 1, 1),
                due_date: Date::from_ymd_opt(year, 12, 31),
                created_at: at,
                updated_at: at,
            };
            milestones.push(milestone::insert(tx, &new)?);
        }
        Ok(Self { project, people, labels, milestones, last: 0 })
    }

    /// The number of its next issue.
    pub(super) fn next(&mut self) -> Iid {
        self.last += 1;
        Iid::new(self.last)
    }
}

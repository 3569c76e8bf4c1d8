//! The common part of issues and merge requests: who takes part, names in texts, notes of the server.

mod page;
mod resource_events;
mod time_tracking;

pub use crate::policy::issuable::{IssuableReference, reference_of};
pub use crate::shared::issuable::list::{AssigneeWish, DueWish, ListIssuables, NotIssuables, Scope};
pub use crate::shared::issuable::people::{UserRefs, participants};
pub use crate::shared::issuable::place::IssuablePlace;
pub use crate::shared::issuable::triage::{LabelChange, PeopleChange, Triage};
pub use crate::shared::issuable::view::{Detail, IssuableView, LabelDetail};
pub use page::{AwardCount, IssuablePage, IssuableRights, page, ticked_description};
pub use resource_events::{
    ChangeView, LabelChanges, ResourceEventView, label_changes, resource_event, resource_events,
};
pub use tenon_storage::issuable::{
    BranchFilter, IssuableOrder, LabelFilter, MilestoneFilter, SearchIn, Sender, StateCounts, StateFilter, UsersFilter,
    WeightFilter,
};
pub use tenon_storage::resource_event::ChangeKind;
pub use time_tracking::{
    TimeStats, add_spent_time, reset_spent_time, reset_time_estimate, set_time_estimate, time_stats,
};

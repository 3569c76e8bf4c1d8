//! What issues and merge requests have in common: who takes part, what texts name, what the server notes down.

mod actions;
mod found;
pub(crate) mod labels;
mod list;
pub(crate) mod people;
mod resource_events;
mod subscribe;
pub(crate) mod system_note;
pub(crate) mod texts;
mod time_tracking;
pub(crate) mod transfer;
mod triage;
pub(crate) mod unseen;
mod view;
mod whole;

pub(crate) use actions::{change_state, run_actions};
pub use found::IssuableReference;
pub(crate) use found::{FoundIssuable, reach_of, tracker};
pub use list::{AssigneeWish, ListIssuables, NotIssuables, Scope};
pub(crate) use list::{filter, usable_milestone};
pub use people::{UserRefs, participants};
pub use resource_events::{ChangeView, ResourceEventView, resource_event, resource_events};
pub(crate) use subscribe::set_subscription;
pub use tenon_storage::issuable::{
    BranchFilter, IssuableOrder, LabelFilter, MilestoneFilter, Sender, StateCounts, StateFilter,
};
pub use tenon_storage::resource_event::ChangeKind;
pub use time_tracking::{
    TimeStats, add_spent_time, reset_spent_time, reset_time_estimate, set_time_estimate, time_stats,
};
pub(crate) use triage::triage;
pub use triage::{LabelChange, Triage};
pub(crate) use view::{Detail, one, reaches, views, visible};
pub use view::{IssuableView, LabelDetail};
pub(crate) use whole::{StateNote, Whole, hang_on, store, store_with, tell_event, whole_text};

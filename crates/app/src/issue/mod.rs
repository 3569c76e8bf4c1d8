//! Issues (specification 2, Issues).

mod actions;
mod close;
mod create;
mod delete;
mod edit;
mod found;
mod link;
mod list;
mod move_to;
mod resource_events;
mod show;
mod subscribe;
mod time_tracking;
mod view;
mod whole;

pub(crate) use actions::run_actions;
pub(crate) use close::close_because;
pub use create::{CreateIssue, create};
pub use delete::delete;
pub use edit::{EditIssue, LabelChange, edit};
pub(crate) use found::{FoundIssue, reach_of, tracker};
pub use link::{LinkView, LinkedIssue, link, linked, unlink};
pub use list::{AssigneeWish, IssueScope, ListIssues, list, of_group, of_milestone, of_project};
pub use move_to::move_to;
pub use resource_events::{ChangeView, ResourceEventView, resource_event, resource_events};
pub use show::{closed_by, participants, sender, show};
pub use subscribe::{subscribe, unsubscribe};
pub use tenon_storage::issuable::{IssuableOrder, LabelFilter, MilestoneFilter, Sender, StateFilter};
pub use tenon_storage::resource_event::ChangeKind;
pub use time_tracking::{
    TimeStats, add_spent_time, reset_spent_time, reset_time_estimate, set_time_estimate, time_stats,
};
pub(crate) use view::{Detail, views, visible};
pub use view::{IssueView, LabelDetail};
pub(crate) use whole::Whole;

//! Issues (reference: issues-merge-requests-projects, sections 1 to 5 and 12.1).

mod create;
mod delete;
mod edit;
mod edit_rights;
mod filters;
mod follow_up;
mod links;
mod list;
mod mentions;
mod move_to;
mod participants;
mod quick_actions;
mod resource_events;
mod subscribe;
mod time_tracking;
mod todo;
mod visibility;

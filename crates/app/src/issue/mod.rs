//! Issues.

mod create;
mod delete;
mod edit;
mod follow_up;
mod link;
mod list;
mod reorder;
mod show;
mod subscribe;

pub use crate::shared::issuable::issue_move::move_to;
pub use crate::shared::issuable::position::Neighbours;
pub use create::{CreateIssue, create};
pub use delete::delete;
pub use edit::{EditIssue, edit};
pub use follow_up::FollowUpOf;
pub use link::{LinkView, LinkedIssue, link, linked, unlink};
pub use list::{
    find, list, of_group, of_milestone, of_project, statistics, statistics_of_group, statistics_of_project,
};
pub use reorder::reorder;
pub use show::{sender, show, show_with};
pub use subscribe::{subscribe, unsubscribe};

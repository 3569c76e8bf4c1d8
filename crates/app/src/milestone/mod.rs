//! Milestones of projects and groups (reference: issues-merge-requests-projects, section 10.2).

mod change;
mod view;

pub use crate::shared::milestones::MilestoneView;
pub use change::{CreateMilestone, EditMilestone, create, delete, edit, promote};
pub use view::{ListMilestones, list, show};

//! Milestones of projects and groups (reference: issues-merge-requests-projects, section 10.2).

mod change;
mod view;

pub use change::{CreateMilestone, EditMilestone, create, delete, edit, promote};
pub use view::{ListMilestones, MilestoneView, list, show};
pub(crate) use view::{find, views};

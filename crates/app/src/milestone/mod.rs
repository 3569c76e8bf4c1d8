//! Milestones of projects and groups.

mod change;
mod progress;
mod view;

pub use crate::shared::issuable::milestones::MilestoneView;
pub use change::{CreateMilestone, EditMilestone, create, delete, edit, promote};
pub use progress::{MilestoneProgress, done_of, progress};
pub use view::{ListMilestones, list, list_of_caller, show};

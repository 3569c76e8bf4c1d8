//! Milestones.

mod change;
mod list;

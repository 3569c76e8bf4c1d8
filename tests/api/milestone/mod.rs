//! Milestones (reference: sections 10.2 and 12.1).

mod change;
mod list;

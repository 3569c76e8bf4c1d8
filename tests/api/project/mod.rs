//! Projects (specification 2, Project; reference: issues-merge-requests-projects, section 7).

mod change;
mod create;
mod list;
mod moves;
mod show;

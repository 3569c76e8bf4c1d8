//! Groups.

mod change;
mod creation;
mod list;
mod moves;
mod remove;

//! Groups.

mod change;
mod creation;
mod list;
mod moves;
mod obeyed;
mod remove;
mod settings;

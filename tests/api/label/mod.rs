//! Labels.

mod change;
mod groups;
mod list;

//! Projects.

mod change;
mod create;
mod list;
mod moves;
mod show;
mod unborn;

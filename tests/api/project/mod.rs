//! Projects.

mod change;
mod create;
mod list;
mod moves;
mod settings;
mod show;
mod unborn;

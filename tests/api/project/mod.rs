//! Projects.

mod change;
mod create;
mod levels;
mod list;
mod mirror;
mod moves;
mod removal;
mod settings;
mod show;
mod statistics;
mod unborn;

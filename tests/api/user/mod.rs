//! Users.

mod change;
mod create;
mod details;
mod list;
mod remove;
mod show;
mod status;

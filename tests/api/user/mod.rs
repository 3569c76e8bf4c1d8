//! Users.

mod change;
mod counts;
mod create;
mod details;
mod fields;
mod follow;
mod list;
mod preferences;
mod remove;
mod show;
mod state;
mod status;

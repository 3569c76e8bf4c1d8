//! Groups (specification 3, Groups; reference: users-groups-auth-settings, section 13).

mod change;
mod creation;
mod list;
mod moves;
mod remove;

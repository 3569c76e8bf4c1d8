//! Members of groups and projects.

mod change;
mod invite;
mod list;

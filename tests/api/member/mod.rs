//! Members of groups and projects.

mod change;
mod list;

//! Members of groups and projects (reference: users-groups-auth-settings, section 14).

mod change;
mod list;

//! Members of groups and projects.

mod access_request;
mod change;
mod invite;
mod list;

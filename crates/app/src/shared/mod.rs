//! Code that several resources need: it knows no use case of any of them.

pub(crate) mod access;
pub(crate) mod approvals;
pub(crate) mod environments;
pub(crate) mod files;
pub(crate) mod hook_event;
pub(crate) mod issuable;
pub(crate) mod issuable_aggregate;
pub mod markdown;
pub mod tasks;
pub(crate) mod views;
pub(crate) mod web_address;

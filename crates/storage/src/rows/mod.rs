//! Rows that several resources read, and how they are found.

pub(crate) mod container;
pub(crate) mod former_path;
pub(crate) mod issuable;
pub(crate) mod label;
pub(crate) mod merge_request;
pub(crate) mod milestone;
pub(crate) mod namespace;
pub(crate) mod sender;
pub(crate) mod setting_value;
pub(crate) mod user;

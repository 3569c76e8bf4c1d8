//! Refs: their state, the permission to change them, and the consequences of changes.

pub(crate) mod access_entries;
pub(crate) mod branch_update;
mod lfs_objects;
pub(crate) mod protection;
pub(crate) mod push_events;
pub(crate) mod push_policy;
pub(crate) mod ref_updates;
pub(crate) mod ref_write;
pub(crate) mod size;

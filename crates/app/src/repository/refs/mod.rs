//! Where refs are, who may change them, and what follows when they have changed.

pub(crate) mod branch_update;
pub(crate) mod protection;
pub(crate) mod push_policy;
pub(crate) mod ref_updates;
pub(crate) mod ref_write;
pub(crate) mod size;

//! Keeping repositories sound, and the database in step with them.

pub(crate) mod inspect;
pub(crate) mod maintain;
pub(crate) mod reconcile;

//! Answers that are kept in memory between transactions. What is kept is decided by the floors above.

pub(crate) mod access_cache;

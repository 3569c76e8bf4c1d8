//! Answers that are kept in memory between transactions. What is kept is decided by the floors above.

pub mod access_cache;

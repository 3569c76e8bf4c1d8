//! Answers that are kept in memory between transactions. The floors above decide which ones are kept.

pub mod access_cache;

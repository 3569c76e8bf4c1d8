//! The spending of callers: who a cost is charged to, and the bounds over time, at once and in threads.

pub(crate) mod anonymous_throttle;
pub(crate) mod caller_rates;
pub(crate) mod client;
pub(crate) mod downloads;
pub(crate) mod lockout;
pub(crate) mod permits;
pub(crate) mod ssh_operations;
pub(crate) mod throttle;
pub(crate) mod transfer_pools;
pub(crate) mod worker_pool;
pub(crate) mod write_turn;

//! Failures, credentials, memory budgets and client addresses.

pub mod body_permits;
pub mod budget;
pub mod credentials;
pub mod error;
mod legacy;
pub mod missing;
pub mod proxies;
pub mod refusal;
mod refused;

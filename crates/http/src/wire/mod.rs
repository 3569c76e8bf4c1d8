//! What requests and answers have in common, whatever they are about: failures, credentials, budgets of memory, and the
//! addresses of clients.

pub(crate) mod body_permits;
pub(crate) mod budget;
pub(crate) mod credentials;
pub(crate) mod download;
pub(crate) mod error;
mod legacy;
pub(crate) mod proxies;

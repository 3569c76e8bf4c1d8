//! What all requests and responses share, whatever their resource: failures, credentials, memory budgets, client
//! addresses and download headers.

pub(crate) mod body_permits;
pub(crate) mod budget;
pub(crate) mod credentials;
pub(crate) mod download;
pub(crate) mod error;
mod legacy;
pub(crate) mod proxies;

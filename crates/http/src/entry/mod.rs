//! The entry points of the server: the API, OAuth, Git over HTTP, files, health checks, and what all requests pass on their
//! way.

pub(crate) mod accept;
pub(crate) mod admission;
pub(crate) mod api;
pub(crate) mod by_settings;
pub(crate) mod client;
pub(crate) mod connections;
pub(crate) mod docs;
pub(crate) mod files;
pub(crate) mod finish;
pub(crate) mod git;
pub(crate) mod health;
pub(crate) mod metrics;
pub(crate) mod oauth;
pub(crate) mod server;
pub(crate) mod state;

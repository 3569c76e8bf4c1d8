//! The steps of every HTTP request: to the API, a page, Git or a file.
//!
//! `admission` identifies the client of a request and counts it; `params` reads parameters; `wire` holds credentials,
//! failures and memory budgets; `finish` completes every response. The crates above decide which path leads where.

mod accept;
mod admission;
mod by_settings;
pub mod client;
pub mod finish;
pub mod health;
mod in_flight;
mod metrics;
mod params;
mod server;
mod state;
mod wire;

pub use self::params::{body, param_map, raw, unreadable};
pub use self::server::{Fallback, run};
pub use self::state::{DEFAULT_MONITORS, Edge, SetupError};
pub use self::wire::{body_permits, budget, credentials, error, missing, proxies, refusal};

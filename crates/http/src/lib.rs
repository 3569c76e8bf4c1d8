//! The v4 REST API over actix-web.
//!
//! A request goes through `serve.rs`, which is to be read first: the table of routes (`routes.rs`), the parameters
//! (`params`), the credential that counts (`credentials.rs`), and then the handler of a resource, which calls one use
//! case and shapes its result. Failures become answers in one table, `error.rs`.

mod all_routes;
mod avatar;
mod award_emoji;
mod contribution;
mod custom_attribute;
mod dto;
mod endpoint;
mod entry;
mod group;
mod hook;
mod issuable;
mod issue;
mod label;
mod markdown;
mod member;
mod merge_request;
mod milestone;
mod namespace;
mod note;
mod openapi;
mod params;
mod pipeline;
mod project;
mod release;
mod repository;
mod search;
mod system;
mod todo;
mod token;
mod upload;
mod user;
mod wire;

pub use self::endpoint::routes::{RouteError, RouteInfo};
pub use self::entry::server::run;
pub use self::entry::state::{DEFAULT_MONITORS, Http, SetupError};
pub use self::wire::error::ApiError;
pub use self::wire::proxies::NetworkError;

use self::all_routes::all_routes;

/// Every route of the API, for contract tests and the authorization matrix.
pub fn listing() -> Result<Vec<RouteInfo>, RouteError> {
    Ok(all_routes()?.listing())
}

/// The description of the API (OpenAPI, JSON), as it is checked in: with no server of its own.
pub fn openapi() -> Result<String, SetupError> {
    Ok(openapi::document(&all_routes()?, "").to_pretty_json()?)
}

#[cfg(test)]
mod tests;

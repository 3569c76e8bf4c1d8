//! The v4 REST API over actix-web.
//!
//! Read `entry/api.rs` first. It takes a request through the table of routes (`endpoint/routes.rs`), its parameters
//! (`params`) and its credential to the handler of a resource. That calls one use case and turns the result into JSON
//! (`dto`). The checks of all requests, and the table from failures to responses, are in the crate `tenon-edge`.

mod all_routes;
mod avatar;
mod award_emoji;
mod badge;
mod board;
mod broadcast_message;
mod contribution;
mod custom_attribute;
mod deploy_key;
mod deploy_token;
mod deployment;
mod download;
mod dto;
mod email;
mod endpoint;
mod entry;
mod environment;
mod feature_flag;
mod gpg_key;
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
mod notification_setting;
mod oauth;
mod openapi;
mod params;
mod pipeline;
mod project;
mod release;
mod repository;
mod search;
mod service;
mod settings;
mod snippet;
mod ssh_key;
mod system;
mod template;
mod todo;
mod token;
mod two_factor;
mod upload;
mod user;
mod variable;
mod wiki;

pub use self::endpoint::routes::{RouteError, RouteInfo};
pub use self::entry::state::{Http, SetupError};

use self::all_routes::all_routes;

/// Every route of the API, for contract tests and the authorization matrix.
pub fn listing() -> Result<Vec<RouteInfo>, RouteError> {
    Ok(all_routes()?.listing())
}

/// The API description (OpenAPI, JSON) as it is checked in, without the address of a server.
pub fn openapi() -> Result<String, SetupError> {
    Ok(openapi::document(all_routes()?.as_ref(), "").to_pretty_json()?)
}

#[cfg(test)]
mod tests;

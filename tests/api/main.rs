//! Every endpoint over a real socket, resource by resource, on both databases.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "what goes wrong here is a failed test"
)]

mod abuse;
mod custom_attribute;
mod edge;
mod group;
mod hook;
mod member;
mod namespace;
mod project;
mod support;
mod token;
mod upload;
mod user;

//! Rows and queries on SQLite and PostgreSQL: one schema, one code.
//!
//! Queries are free functions in modules by resource (`user::find`, `project::list`) that take a transaction: a
//! [`ReadTx`] to read, a [`WriteTx`] to write. A query cannot write by accident, because it never sees a `WriteTx`.
//! Rows are private. Queries return types of the domain, or a type that is declared beside the query.
//!
//! Below the resources lie, lowest first, `schema`, `cache`, `db`, `text_index`, `visibility` and `rows`; resources do not
//! import each other (`xtask/floors.toml`).

pub mod cache;
mod db;
mod error;
mod migrate;
mod rows;
mod schema;
mod text_index;
mod visibility;

pub mod access;
pub mod access_request;
pub mod approval_rule;
pub mod author_deletion;
pub mod award_emoji;
pub mod backup;
pub mod badge;
pub mod board;
pub mod bot;
pub mod broadcast_message;
pub mod custom_attribute;
pub mod dangling;
pub mod deploy_key;
pub mod deploy_token;
pub mod deployment;
pub mod email;
pub mod environment;
pub mod event;
pub mod feature_flag;
pub mod going;
pub mod gpg_key;
pub mod group;
pub mod hook;
pub mod iid;
pub mod invitation;
pub mod issuable;
pub mod issue_link;
pub mod job;
pub mod label;
pub mod lfs;
pub mod member;
pub mod membership;
pub mod merge_request;
pub mod milestone;
pub mod namespace;
pub mod note;
pub mod notification_setting;
pub mod oauth;
pub mod passkey;
pub mod pipeline;
pub mod project;
pub mod recount;
pub mod release;
pub mod repository;
pub mod resource_event;
pub mod server_task;
pub mod service;
pub mod session;
pub mod settings;
pub mod share;
pub mod sign_in_challenge;
pub mod snippet;
pub mod ssh_key;
pub mod statistics;
pub mod terms;
pub mod todo;
pub mod token;
pub mod two_factor;
pub mod upload;
pub mod user;
pub mod variable;

pub use db::connection::{DatabaseUrl, InvalidDatabaseUrl};
pub use db::serving::{RightState, Serving, ServingRight};
pub use db::tx::{Database, Options, ReadTx, WriteTx};
pub use error::{StoreError, StoreResult, UniqueKey};
pub use migrate::{MigrationState, compile_options};

//! Use cases, jobs and the outbox: the only place that combines storage, files and credentials.
//!
//! A use case is a function in a room by resource (`project::create`). It takes a [`Query`] or a [`Command`] - one
//! transaction, the caller, the time - and returns a view or an [`error::AppError`]. [`App`] runs it off the caller's
//! thread. Another program that wants the whole behaviour without HTTP links this crate.

mod access;
mod app;
mod authentication;
mod client;
mod clock;
mod context;
mod crash_point;
mod doctor;
mod first_start;
mod group_commit;
mod links;
mod objects;
mod outbound;
mod quota;
mod registry;
mod throttle;
mod worker_pool;

pub mod avatar;
pub mod award_emoji;
pub mod contribution;
pub mod custom_attribute;
pub mod error;
pub mod group;
pub mod hook;
pub mod identicon;
pub mod identity;
pub mod issuable;
pub mod issue;
pub mod jobs;
pub mod label;
pub mod markdown;
pub mod member;
pub mod merge_request;
pub mod milestone;
pub mod namespace;
pub mod note;
pub mod pipeline;
pub mod project;
pub mod release;
pub mod repository;
pub mod search;
pub mod todo;
pub mod token;
pub mod upload;
pub mod user;

pub use access::Reference;
pub use app::{App, Parts};
pub use client::{Client, Network};
pub use clock::{Clock, SystemClock};
pub use context::{Caller, Command, Query};
#[cfg(feature = "crash-points")]
pub use crash_point::CrashPoint;
pub use doctor::{Finding, doctor};
pub use first_start::{RootCredentials, first_start};
pub use objects::Objects;
pub use tenon_auth::{Entropy, KEY_LENGTH, Passwords, Secret, SystemEntropy, Vault};
pub use tenon_domain::limits::{LimitError, LimitInfo, Limits};
pub use tenon_domain::page::PageRequest;
pub use tenon_domain::token::{Scopes, TokenKind};
pub use tenon_storage::{Database, DatabaseUrl, InvalidDatabaseUrl, MigrationState, Options, StoreError};
pub use throttle::Throttled;

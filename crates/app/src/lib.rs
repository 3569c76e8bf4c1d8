//! Use cases, jobs and the outbox: the only place that combines storage, files and credentials.
//!
//! A use case is a function in a room by resource (`project::create`). It takes a [`Query`] or a [`Command`] - one
//! transaction, the caller, the time - and returns a view or an [`error::AppError`]. [`App`] runs it off the caller's
//! thread. Another program that wants the whole behaviour without HTTP links this crate.

mod core;
mod policy;
mod registry;
mod shared;
mod workflows;

pub mod award_emoji;
pub mod contribution;
pub mod custom_attribute;
pub mod group;
pub mod hook;
pub mod identicon;
pub mod issuable;
pub mod issue;
pub mod jobs;
pub mod label;
pub mod member;
pub mod merge_request;
pub mod milestone;
pub mod note;
pub mod pipeline;
pub mod project;
pub mod release;
pub mod repository;
pub mod search;
pub mod todo;
pub mod token;
pub mod user;

#[cfg(feature = "crash-points")]
pub use core::app::CrashPoint;
pub use core::app::{App, Command, Parts, Query};
pub use core::caller::Caller;
pub use core::client::{Client, Network};
pub use core::clock::{Clock, SystemClock};
pub use core::objects::Objects;
pub use core::throttle::Throttled;
pub use core::{error, identity};
pub use policy::container::ContainerReference;
pub use policy::reference::Reference;
pub use shared::{avatar, markdown, namespace, upload};
pub use tenon_auth::{Entropy, KEY_LENGTH, Passwords, Secret, SystemEntropy, Vault};
pub use tenon_domain::limits::{LimitError, LimitInfo, Limits};
pub use tenon_domain::page::PageRequest;
pub use tenon_domain::token::{Scopes, TokenKind};
pub use tenon_storage::{Database, DatabaseUrl, InvalidDatabaseUrl, MigrationState, Options, StoreError};
pub use workflows::doctor::{Finding, doctor};
pub use workflows::first_start::{RootCredentials, first_start};
pub use workflows::transport;

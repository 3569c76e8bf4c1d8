//! Use cases, jobs and the outbox: the only place that combines storage, files and credentials.
//!
//! A use case is a function in the module of its resource ([`project::create`]). It takes a [`Query`] or a [`Command`]
//! - one transaction, the caller, the time - and returns a view or an [`error::AppError`]. [`App`] runs it off the
//!   caller's thread ([`App::read`], [`App::write`]), or on it ([`App::read_now`], [`App::write_now`]). A use case that
//!   needs Git as well, such as [`repository::tree`], is an async function of the [`App`]. Jobs run in the programs
//!   that start a [`jobs::Runner`].
//!
//! Another program that wants the whole behaviour without HTTP links this crate: for another front end, for imports, or to
//! embed a server. Every use case checks the caller's permission.
//!
//! ```
//! use tenon_app::error::AppError;
//! use tenon_app::identity::Identity;
//! use tenon_app::project::{self, CreateProject, ShowProject};
//! use tenon_app::{App, KEY_LENGTH, Parts, Reference, RootCredentials, first_start};
//! use tenon_domain::id::UserId;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let app = App::new(Parts::in_folder(folder.path(), "https://git.example.org", &[7; KEY_LENGTH])?)?;
//! first_start(&app, RootCredentials::default())?;
//!
//! // As a user whom this program has authenticated: the first account is the administrator.
//! let root = Identity::user(UserId::new(1));
//! let request = CreateProject { name: Some("Engine".to_owned()), ..CreateProject::default() };
//! let made = app.write_now(&root, |command| project::create(command, request))?;
//! assert_eq!(made.brief.full_path, "root/engine");
//!
//! // The project is private: without a user it does not exist.
//! let engine = Reference::Path(made.brief.full_path);
//! let seen = app.read_now(&Identity::anonymous(), |query| project::show(query, &engine, ShowProject::default()));
//! assert!(matches!(seen, Err(AppError::NotFound(_))));
//! # Ok(())
//! # }
//! ```

mod core;
mod policy;
mod registry;
mod shared;
mod workflows;

pub mod award_emoji;
pub mod badge;
pub mod board;
pub mod broadcast_message;
pub mod contribution;
pub mod custom_attribute;
pub mod deploy_key;
pub mod deploy_token;
pub mod deployment;
pub mod email;
pub mod environment;
pub mod feature_flag;
pub mod gpg_key;
pub mod group;
pub mod hook;
pub mod identicon;
pub mod initials;
pub mod issuable;
pub mod issue;
pub mod jobs;
pub mod label;
pub mod member;
pub mod merge_request;
pub mod milestone;
pub mod note;
pub mod notification_setting;
pub mod oauth;
pub mod passkey;
pub mod pipeline;
pub mod project;
pub mod release;
pub mod repository;
pub mod search;
pub mod server_task;
pub mod service;
pub mod session;
pub mod settings;
pub mod snippet;
pub mod ssh_key;
pub mod statistics;
pub mod template;
pub mod terms;
pub mod todo;
pub mod token;
pub mod two_factor;
pub mod user;
pub mod variable;
pub mod wiki;

pub use core::app::{App, Command, Parts, Query};
pub use core::app::{CrashPoint, CrashPoints};
pub use core::caller::Caller;
pub use core::clock::{Clock, SystemClock};
pub use core::confirmation::Confirmed;
pub use core::connections::{Accepted, Connection, Connections, UnderWay};
pub use core::links::SshAddress;
pub use core::objects::{Draft, Objects};
pub use core::providers::SignInProvider;
pub use core::spending::caller_rates::Counted;
pub use core::spending::client::{Client, Network};
pub use core::spending::throttle::Throttled;
pub use core::{error, highlighter, identity, mail};
pub use policy::account::AccountReference;
pub use policy::container::ContainerReference;
pub use policy::place::{self, Place};
pub use policy::reference::Reference;
pub use registry::job_kinds;
pub use shared::access::visibilities;
pub use shared::files::{avatar, stored, upload};
pub use shared::markdown;
pub use shared::tasks;
pub use shared::views::namespace;
pub use tenon_auth::webhook_signature;
pub use tenon_auth::{CsrfToken, Entropy, KEY_LENGTH, Passwords, Secret, SystemEntropy, Vault};
pub use tenon_domain::limits::{LimitError, LimitInfo, Limits};
pub use tenon_domain::page::PageRequest;
pub use tenon_domain::token::{Scopes, TokenKind};
pub use tenon_outbound::mail::{MailError, MailRoute, MailSender, Mailer};
pub use tenon_outbound::own::addresses_of;
pub use tenon_storage::{Database, DatabaseUrl, InvalidDatabaseUrl, MigrationState, Options, StoreError};
pub use tenon_storage::{RightState, Serving, ServingRight};
pub use workflows::account_demand::{AccountDemand, account_demand};
pub use workflows::doctor::{Finding, doctor};
pub use workflows::first_start::{RootCredentials, first_start};
pub use workflows::{access_token, dashboard, issue_branch, lfs, notification, openid, transport, webhook};

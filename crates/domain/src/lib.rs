//! The rules of Tenon: values, entities, states and abilities.
//!
//! Everything here is a total function of its arguments. There is no I/O, no clock, no randomness, no database and no
//! HTTP: time and actor come in as values, refusals go out as types. Another service that wants the rules links this
//! crate alone.
//!
//! A value is valid when it exists: ids ([`id`]), paths ([`path`]) and limits ([`limits`]) are parsed once. An ability, such
//! as [`project::decide`], takes the caller's [`access::Standing`] and a few facts, and has three answers. A state, such as
//! [`issuable::State`], says what an event makes of it, and whether anything changed.
//!
//! ```
//! use tenon_domain::access::{AccessLevel, Decision, Standing, Viewer};
//! use tenon_domain::id::UserId;
//! use tenon_domain::issuable::{State, StateEvent};
//! use tenon_domain::project::{ProjectAction, ProjectFacts, decide};
//! use tenon_domain::time::Timestamp;
//! use tenon_domain::transition::Transition;
//! use tenon_domain::visibility::Visibility;
//!
//! // Who may do what: allowed, refused openly (403), or answered as if it did not exist (404).
//! let ada = Viewer::User { id: UserId::new(1), admin: false, external: false };
//! let developer = Standing { viewer: ada, level: Some(AccessLevel::Developer) };
//! let stranger = Standing { viewer: Viewer::Anonymous, level: None };
//! let engine = ProjectFacts::whole(Visibility::Private, false);
//! assert_eq!(decide(&developer, engine, ProjectAction::Push), Decision::Allow);
//! assert_eq!(decide(&developer, engine, ProjectAction::Delete), Decision::Deny);
//! assert_eq!(decide(&stranger, engine, ProjectAction::Read), Decision::Hide);
//!
//! // What an event makes of a state. The time is an argument.
//! let now: Timestamp = "2026-03-02T12:00:00Z".parse()?;
//! let closed = State::Closed { at: Some(now), by: ada.user() };
//! assert_eq!(State::Opened.apply(StateEvent::Close, UserId::new(1), now), Transition::Moved(closed));
//! assert_eq!(closed.apply(StateEvent::Close, UserId::new(2), now), Transition::Stayed(closed));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(clippy::missing_errors_doc)]

pub mod access;
pub mod avatar;
pub mod backoff;
pub mod badge;
pub mod board;
pub mod broadcast_message;
pub mod commit_signature;
pub mod container;
pub mod contribution;
pub mod deploy_key;
pub mod deploy_token;
pub mod deployment;
pub mod direction;
pub mod email;
pub mod environment;
pub mod event;
pub mod feature_flag;
pub mod field_errors;
pub mod file_path;
pub mod gpg_key;
pub mod group;
pub mod hook;
pub mod id;
pub mod issuable;
pub mod issue;
pub mod keyset;
pub mod label;
pub mod lfs;
pub mod limits;
pub mod member;
pub mod merge_request;
pub mod milestone;
pub mod namespace;
pub mod network;
pub mod note;
pub mod notification_setting;
pub mod oauth;
pub mod page;
pub mod passkey;
pub mod patch;
pub mod path;
pub mod pipeline;
pub mod project;
pub mod quick_action;
pub mod refusal;
pub mod regular_expression;
pub mod release;
pub mod repository;
pub mod search;
pub mod server_task;
pub mod service;
pub mod session;
pub mod settings;
pub mod snippet;
pub mod ssh_key;
pub mod suggestion;
pub mod system_note;
pub mod time;
pub mod time_tracking;
pub mod todo;
pub mod token;
pub mod tracker;
pub mod transition;
pub mod two_factor;
pub mod user;
pub mod user_agent;
pub mod variable;
pub mod visibility;
pub mod wiki;
mod words;

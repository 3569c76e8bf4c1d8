//! The rules of Tenon: values, entities, states and abilities.
//!
//! Everything here is a total function of its arguments. There is no I/O, no clock, no randomness, no database and no
//! HTTP: time and actor come in as values, refusals go out as types. Another service that wants the rules links this
//! crate alone.

pub mod access;
pub mod avatar;
pub mod contribution;
pub mod direction;
pub mod event;
pub mod field_errors;
pub mod group;
pub mod hook;
pub mod id;
pub mod issuable;
pub mod issue;
pub mod label;
pub mod limits;
pub mod member;
pub mod merge_request;
pub mod milestone;
pub mod namespace;
pub mod note;
pub mod page;
pub mod patch;
pub mod path;
pub mod pipeline;
pub mod project;
pub mod quick_action;
pub mod release;
pub mod repository;
pub mod search;
pub mod settings;
pub mod time;
pub mod time_tracking;
pub mod todo;
pub mod token;
pub mod transition;
pub mod user;
pub mod visibility;
mod words;

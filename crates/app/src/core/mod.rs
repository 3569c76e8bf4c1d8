//! The base of every use case: the application, its transactions, and its share of the machine. Knows no resource.

pub(crate) mod app;
pub(crate) mod archive_cache;
pub(crate) mod authentication;
pub(crate) mod caller;
pub(crate) mod clock;
pub(crate) mod confirmation;
pub(crate) mod connections;
pub(crate) mod counting;
pub mod error;
pub(crate) mod event_feed;
pub(crate) mod group_commit;
pub mod highlighter;
pub mod identity;
pub(crate) mod links;
pub mod mail;
pub(crate) mod objects;
pub(crate) mod push_sessions;
pub(crate) mod ref_update;
pub(crate) mod repositories;
pub(crate) mod sign_in;
pub(crate) mod slot;
pub(crate) mod spending;
pub(crate) mod terms;
pub(crate) mod texts;
pub(crate) mod usage;
pub(crate) mod wakers;

//! What tests share: a throw-away PostgreSQL, databases, a server over a real socket, and a client to drive it.
//!
//! ```text
//! on_both! {
//!     fn a_project_has_a_name(server) {
//!         let alice = server.user("alice");
//!         let project = alice.post("/projects", json!({"name": "Tool"})).assert_status(201).json();
//!         assert_eq!(project["path"], "tool");
//!     }
//! }
//! ```

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::must_use_candidate,
    clippy::missing_panics_doc,
    reason = "what goes wrong here is a failed test"
)]

mod application;
mod authenticator;
mod client;
mod clock;
mod database;
mod files;
mod jobs;
pub mod keys;
mod mail;
pub mod postgres;
mod postgres_database;
mod receiver;
mod reusable;
mod rows;
mod server;
mod sqlite_database;
mod strangers;
mod wait;

pub use application::ROOT_TOKEN;
pub use authenticator::Authenticator;
pub use client::{Client, Multipart, Reply};
pub use clock::TestClock;
pub use database::TestDatabase;
pub use jobs::RunningJobs;
pub use mail::Mail;
pub use receiver::{Answer, Received, Receiver};
pub use reusable::Backend;
pub use server::{GIT_SCRIPT, Snapshot, TestServer, User};
pub use strangers::Strangers;
pub use tenon_storage::DatabaseUrl;
pub use wait::{pause, soon};

/// As [`on_both`], on servers that send mail.
#[macro_export]
macro_rules! on_both_with_mail {
    ($( $(#[doc = $doc:literal])* fn $name:ident($server:ident) $body:block )*) => {$(
        $(#[doc = $doc])*
        mod $name {
            #[allow(unused_imports, clippy::allow_attributes, clippy::allow_attributes_without_reason)]
            use super::*;

            fn run($server: &$crate::TestServer) $body

            #[test]
            fn sqlite() {
                run(&$crate::TestServer::start_with_mail($crate::Backend::Sqlite));
            }

            #[test]
            fn postgres() {
                if $crate::Backend::Postgres.is_available() {
                    run(&$crate::TestServer::start_with_mail($crate::Backend::Postgres));
                }
            }
        }
    )*};
}

/// Runs each function as two tests, `name::sqlite` and `name::postgres`, on a fresh server each. Where no PostgreSQL can
/// be had and none is required, the second says so and passes.
#[macro_export]
macro_rules! on_both {
    ($( $(#[doc = $doc:literal])* fn $name:ident($server:ident) $body:block )*) => {$(
        $(#[doc = $doc])*
        mod $name {
            #[allow(unused_imports, clippy::allow_attributes, clippy::allow_attributes_without_reason)]
            use super::*;

            fn run($server: &$crate::TestServer) $body

            #[test]
            fn sqlite() {
                run(&$crate::TestServer::start($crate::Backend::Sqlite));
            }

            #[test]
            fn postgres() {
                if $crate::Backend::Postgres.is_available() {
                    run(&$crate::TestServer::start($crate::Backend::Postgres));
                }
            }
        }
    )*};
}

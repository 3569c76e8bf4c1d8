//! Code that tests share: a throw-away PostgreSQL, databases, a server over a real socket, and a client to drive it.
//!
//! ```text
//! #[both_databases]
//! fn a_project_has_a_name(server: &TestServer) {
//!     let alice = server.user("alice");
//!     let project = alice.post("/projects", json!({"name": "Tool"})).assert_status(201).json();
//!     assert_eq!(project["path"], "tool");
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
mod openid;
mod passkey;
mod people;
pub mod postgres;
mod postgres_database;
mod receiver;
mod reusable;
mod rows;
mod server;
mod sign_in;
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
pub use openid::{OpenIdKey, OpenIdProvider};
pub use passkey::SoftPasskey;
pub use people::User;
pub use receiver::{Answer, Received, Receiver};
pub use reusable::Backend;
pub use server::{GIT_SCRIPT, Snapshot, TestServer};
pub use sign_in::TestProvider;
pub use strangers::Strangers;
pub use tenon_storage::DatabaseUrl;
pub use tenon_testkit_macros::both_databases;
pub use wait::{pause, soon};

/// Runs `test` on a server that `start` makes with this database. If the database cannot be had and is not required,
/// the test passes without having run. [`both_databases`] calls this.
pub fn run_test(backend: Backend, start: fn(Backend) -> TestServer, test: fn(&TestServer)) {
    if backend.is_available() {
        test(&start(backend));
    }
}

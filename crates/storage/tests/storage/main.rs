//! The storage crate against both databases.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what goes wrong here is a failed test"
)]

mod access;
mod access_cache;
mod backup;
mod closing;
mod events;
mod exclusions;
mod fetches;
mod hooks;
mod issues;
mod jobs;
mod keyset;
mod machine;
mod migrations;
mod pending_users;
mod plans;
mod statements;
mod texts;
mod tls;
mod transactions;
mod unique;
mod uploads;

use tenon_storage::Database;
use tenon_testkit::{Backend, TestDatabase};

/// Runs `test` on a fresh database of each kind that is available.
fn on_each_backend(test: impl Fn(&Database)) {
    on_each_test_database(|database| test(&database.open()));
}

/// As [`on_each_backend`], for tests that also run statements of their own.
fn on_each_test_database(test: impl Fn(&TestDatabase)) {
    for backend in [Backend::Sqlite, Backend::Postgres] {
        if backend.is_available() {
            test(&TestDatabase::new(backend));
        }
    }
}

/// The moment at which everything in these tests happens.
fn now() -> tenon_domain::time::Timestamp {
    "2026-03-02T12:00:00Z".parse().unwrap()
}

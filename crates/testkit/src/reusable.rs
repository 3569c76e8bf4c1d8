//! The common part of the databases of both kinds: each serves one test after the other, and is a copy of a template.

use std::sync::OnceLock;

use anyhow::Result;
use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection, SqliteConnection};
use tenon_storage::{Database, DatabaseUrl, Options};

use crate::application::make_root;
use crate::postgres::cluster;
use crate::wait::pause;

/// One of the two databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// The embedded one.
    Sqlite,
    /// A server of its own, started for the test process.
    Postgres,
}

impl Backend {
    /// True if tests can run on it here. Panics if PostgreSQL is required and missing.
    pub fn is_available(self) -> bool {
        match self {
            Self::Sqlite => true,
            Self::Postgres => cluster().is_some(),
        }
    }
}

/// The content of a database at the start, beside its tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// Nothing.
    Nothing,
    /// The administrator of a [`crate::TestServer`].
    Root,
}

/// The templates of databases, for each content.
pub(crate) struct Templates<T> {
    nothing: OnceLock<T>,
    root: OnceLock<T>,
}

impl<T> Templates<T> {
    pub(crate) const fn new() -> Self {
        Self { nothing: OnceLock::new(), root: OnceLock::new() }
    }

    pub(crate) fn get_or_init(&self, content: Content, make: impl FnOnce() -> T) -> &T {
        match content {
            Content::Nothing => self.nothing.get_or_init(make),
            Content::Root => self.root.get_or_init(make),
        }
    }
}

/// A database of one of the two kinds, which serves one test after the other.
pub(crate) trait Reusable: Send + Sync {
    /// Its kind.
    fn backend(&self) -> Backend;
    /// Its content at the start.
    fn content(&self) -> Content;
    /// The address of the database.
    fn url(&self) -> DatabaseUrl;
    /// True if it may serve another test.
    fn may_serve_again(&self) -> bool;
    /// Puts the rows of all tables back to those of the template. Fails if a transaction still holds some of them.
    fn put_back(&mut self) -> Result<()>;
}

/// Runs statements on a connection of their own.
pub(crate) fn execute(url: &DatabaseUrl, sql: &str) {
    match url {
        DatabaseUrl::Sqlite(path) => {
            let path = path.to_str().expect("a path that is text");
            SqliteConnection::establish(path).expect("a connection").batch_execute(sql)
        }
        DatabaseUrl::Postgres(url) => PgConnection::establish(url).expect("a connection").batch_execute(sql),
    }
    .expect("statements that can be run");
}

/// Migrates a database, adds its content, and closes it: a template must be at rest when it is copied.
pub(crate) fn fill(url: DatabaseUrl, content: Content) {
    let options = Options { readers: 1, writers: 1, ..Options::new(url) };
    let mut database = Database::open(options).expect("an open database");
    database.migrate().expect("a migrated database");
    if content == Content::Root {
        make_root(database.clone());
    }
    // Threads of the application may hold it for some milliseconds.
    while let Err(held) = database.into_unused() {
        database = held;
        pause();
    }
}

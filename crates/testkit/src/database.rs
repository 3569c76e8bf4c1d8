//! A database for one test: a copy of one that was migrated once for the whole process.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use diesel::connection::SimpleConnection;
use diesel::sql_types::BigInt;
use diesel::{Connection, PgConnection, QueryableByName, RunQueryDsl, SqliteConnection, sql_query};
use tempfile::TempDir;
use tenon_storage::{Database, DatabaseUrl, Options};

use crate::postgres::{Cluster, cluster};

/// Which of the two databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// The embedded one.
    Sqlite,
    /// A server of its own, started for the test process.
    Postgres,
}

impl Backend {
    /// Whether tests can run on it here. Panics where PostgreSQL is required and missing.
    pub fn is_available(self) -> bool {
        match self {
            Self::Sqlite => true,
            Self::Postgres => cluster().is_some(),
        }
    }
}

/// A migrated, empty database, removed with this value.
pub struct TestDatabase {
    url: DatabaseUrl,
    _folder: Option<TempDir>,
    postgres: Option<(&'static Cluster, String)>,
}

/// What the file of a SQLite database is called.
const FILE: &str = "test.db";

static NUMBER: AtomicU32 = AtomicU32::new(0);

impl TestDatabase {
    /// A new one.
    pub fn new(backend: Backend) -> Self {
        match backend {
            Backend::Sqlite => Self::sqlite(),
            Backend::Postgres => Self::postgres(),
        }
    }

    /// The file, where it is one.
    pub fn file(&self) -> Option<&Path> {
        match &self.url {
            DatabaseUrl::Sqlite(path) => Some(path),
            DatabaseUrl::Postgres(_) => None,
        }
    }

    /// Runs statements that no use case offers.
    pub fn execute(&self, sql: &str) {
        match &self.url {
            DatabaseUrl::Sqlite(path) => {
                let path = path.to_str().expect("a path that is text");
                SqliteConnection::establish(path).expect("a connection").batch_execute(sql)
            }
            DatabaseUrl::Postgres(url) => PgConnection::establish(url).expect("a connection").batch_execute(sql),
        }
        .expect("statements that can be run");
    }

    /// The number that a `SELECT COUNT(*)` yields.
    pub fn count(&self, sql: &str) -> i64 {
        #[derive(QueryableByName)]
        struct Counted {
            #[diesel(sql_type = BigInt)]
            count: i64,
        }
        let query = sql_query(format!("SELECT ({sql}) AS count"));
        let counted: Counted = match &self.url {
            DatabaseUrl::Sqlite(path) => {
                let path = path.to_str().expect("a path that is text");
                query.get_result(&mut SqliteConnection::establish(path).expect("a connection"))
            }
            DatabaseUrl::Postgres(url) => query.get_result(&mut PgConnection::establish(url).expect("a connection")),
        }
        .expect("a number");
        counted.count
    }

    /// Where it is.
    pub fn url(&self) -> &DatabaseUrl {
        &self.url
    }

    fn sqlite() -> Self {
        static TEMPLATE: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
        let (_, template) = TEMPLATE.get_or_init(|| {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("template.db");
            migrate(DatabaseUrl::Sqlite(path.clone()));
            (folder, path)
        });
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(FILE);
        std::fs::copy(template, &path).expect("a copy of the template");
        Self { url: DatabaseUrl::Sqlite(path), _folder: Some(folder), postgres: None }
    }

    fn postgres() -> Self {
        static TEMPLATE: OnceLock<String> = OnceLock::new();
        let cluster = cluster().expect("PostgreSQL, which is_available() has asked for");
        let template = TEMPLATE.get_or_init(|| {
            let name = format!("template_{}", std::process::id());
            cluster.create_database(&name, None).expect("a template database");
            migrate(DatabaseUrl::Postgres(cluster.url(&name)));
            name
        });
        let name = format!("test_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        cluster.create_database(&name, Some(template)).expect("a copy of the template");
        Self { url: DatabaseUrl::Postgres(cluster.url(&name)), _folder: None, postgres: Some((cluster, name)) }
    }
}

/// Migrates a database and closes it: a template must be at rest when it is copied.
fn migrate(url: DatabaseUrl) {
    let options = Options { readers: 1, writers: 1, ..Options::new(url) };
    Database::open(options).and_then(|database| database.migrate()).expect("a migrated database");
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if let Some((cluster, name)) = &self.postgres {
            // A database that stays behind goes with the cluster.
            drop(cluster.drop_database(name));
        }
    }
}

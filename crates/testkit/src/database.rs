//! A database for one test: a copy of one that was migrated once for the whole process.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use diesel::connection::SimpleConnection;
use diesel::sql_types::BigInt;
use diesel::{Connection, PgConnection, QueryableByName, RunQueryDsl, SqliteConnection, sql_query};
use tempfile::TempDir;
use tenon_storage::{Database, DatabaseUrl, Options};

use crate::postgres::cluster;
use crate::postgres_database::PostgresDatabase;

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

/// A migrated, empty database for one test.
pub struct TestDatabase {
    url: DatabaseUrl,
    /// Where the file of SQLite is.
    folder: Option<TempDir>,
    postgres: Option<PostgresDatabase>,
    /// The first ones that were opened.
    connections: OnceLock<Database>,
    statements: Arc<AtomicU64>,
    is_open: AtomicBool,
    /// Whether something was done to it that rows put back may not undo.
    is_spent: AtomicBool,
}

/// What the file of a SQLite database is called.
const FILE: &str = "test.db";

/// What tests have left on PostgreSQL for other tests. A new connection costs more than what most tests ask of it: its caches
/// begin empty, and each statement is planned anew.
static USED: Mutex<Vec<Used>> = Mutex::new(Vec::new());

/// A database that a test has used, and connections to it.
struct Used {
    postgres: PostgresDatabase,
    connections: Database,
    statements: Arc<AtomicU64>,
}

impl TestDatabase {
    /// One that no other test uses.
    pub fn new(backend: Backend) -> Self {
        match backend {
            Backend::Sqlite => Self::sqlite(),
            Backend::Postgres => Self::used().unwrap_or_else(|| Self::postgres(PostgresDatabase::create())),
        }
    }

    /// Which of the two it is.
    pub fn backend(&self) -> Backend {
        match self.url {
            DatabaseUrl::Sqlite(_) => Backend::Sqlite,
            DatabaseUrl::Postgres(_) => Backend::Postgres,
        }
    }

    /// Opens it. Each time but the first, it is with connections of its own, as another process has them.
    pub fn open(&self) -> Database {
        // Connections are opened when they are needed: most tests send one request after the other.
        let statements = Some(Arc::clone(&self.statements));
        let options = Options { readers: 2, writers: 2, spare: 0, statements, ..Options::new(self.url.clone()) };
        let open = || Database::open(options).expect("an open database");
        if self.is_open.swap(true, Ordering::Relaxed) {
            self.is_spent.store(true, Ordering::Relaxed);
            return open();
        }
        self.connections.get_or_init(open).clone()
    }

    /// How many statements have been sent through the connections of [`TestDatabase::open`].
    pub fn statements(&self) -> u64 {
        self.statements.load(Ordering::SeqCst)
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
        self.is_spent.store(true, Ordering::Relaxed);
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
        self.is_spent.store(true, Ordering::Relaxed);
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
        let mut copy = Self::at(DatabaseUrl::Sqlite(path));
        copy.folder = Some(folder);
        copy
    }

    fn postgres(database: PostgresDatabase) -> Self {
        let mut copy = Self::at(DatabaseUrl::Postgres(database.url()));
        copy.postgres = Some(database);
        copy
    }

    fn at(url: DatabaseUrl) -> Self {
        let (folder, postgres, connections, statements, is_open, is_spent) = Default::default();
        Self { url, folder, postgres, connections, statements, is_open, is_spent }
    }

    /// One that was used, as it was before.
    fn used() -> Option<Self> {
        let Used { mut postgres, connections, statements } = Used::take()?;
        postgres.put_back().ok()?;
        let mut used = Self::postgres(postgres);
        (used.connections, used.statements) = (connections.into(), statements);
        Some(used)
    }

    /// Leaves it to another test.
    fn leave(&mut self) {
        let connections = std::mem::take(&mut self.connections).into_inner();
        let left = self.postgres.take().zip(connections);
        let is_spent = *self.is_spent.get_mut() || std::thread::panicking();
        if let Some((postgres, connections)) = left.filter(|_| !is_spent) {
            let used = Used { postgres, connections, statements: Arc::clone(&self.statements) };
            USED.lock().unwrap_or_else(PoisonError::into_inner).push(used);
        }
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        self.leave();
    }
}

impl Used {
    /// One that nothing uses any more: threads of a server that has ended may do so for a few milliseconds.
    fn take() -> Option<Self> {
        let mut all = USED.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..all.len() {
            let Self { postgres, connections, statements } = all.remove(0);
            match connections.into_unused() {
                Ok(connections) => return Some(Self { postgres, connections, statements }),
                Err(connections) => all.push(Self { postgres, connections, statements }),
            }
        }
        None
    }
}

/// Migrates a database and closes it: a template must be at rest when it is copied.
pub(crate) fn migrate(url: DatabaseUrl) {
    let options = Options { readers: 1, writers: 1, ..Options::new(url) };
    Database::open(options).and_then(|database| database.migrate()).expect("a migrated database");
}

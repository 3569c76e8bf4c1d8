//! A database for one test after the other: a copy of one that was migrated once for the whole process.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use diesel::sql_types::BigInt;
use diesel::{Connection, PgConnection, QueryableByName, RunQueryDsl, SqliteConnection, sql_query};
use tenon_storage::{Database, DatabaseUrl, Options};

use crate::postgres_database::PostgresDatabase;
use crate::reusable::{Backend, Content, Reusable, execute};
use crate::sqlite_database::{SqliteDatabase, copy_template};

/// A migrated database for one test.
pub struct TestDatabase {
    url: DatabaseUrl,
    /// `None` after it was left to another test.
    place: Option<Box<dyn Reusable>>,
    /// The connections that were opened first.
    connections: OnceLock<Database>,
    statements: Arc<AtomicU64>,
    is_open: AtomicBool,
    /// True if something was done to it that rows put back may not undo.
    is_spent: AtomicBool,
}

fn create(backend: Backend, content: Content) -> Box<dyn Reusable> {
    match backend {
        Backend::Sqlite => Box::new(SqliteDatabase::create(content)),
        Backend::Postgres => Box::new(PostgresDatabase::create(content)),
    }
}

/// The databases that tests have left for other tests. A new connection costs more than most tests ask of it: its
/// caches begin empty, and each statement is planned anew.
static USED: Mutex<Vec<Used>> = Mutex::new(Vec::new());

/// A database that a test has used, and connections to it.
struct Used {
    place: Box<dyn Reusable>,
    connections: Database,
    statements: Arc<AtomicU64>,
}

impl TestDatabase {
    /// An empty one that no other test uses.
    pub fn new(backend: Backend) -> Self {
        Self::with(backend, Content::Nothing)
    }

    /// As [`TestDatabase::new`], with this content.
    pub(crate) fn with(backend: Backend, content: Content) -> Self {
        Self::used(backend, content).unwrap_or_else(|| Self::at(create(backend, content)))
    }

    /// Makes an empty database of SQLite in this file, for another process.
    pub fn empty_file(path: &Path) {
        copy_template(Content::Nothing, path);
    }

    /// The kind of the database.
    pub fn backend(&self) -> Backend {
        match self.url {
            DatabaseUrl::Sqlite(_) => Backend::Sqlite,
            DatabaseUrl::Postgres(_) => Backend::Postgres,
        }
    }

    /// Opens it. The first call uses the connections that were left with it. Each later one has connections of its own,
    /// as another process has them.
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

    /// The number of statements that were sent through the connections of [`TestDatabase::open`].
    pub fn statements(&self) -> u64 {
        self.statements.load(Ordering::SeqCst)
    }

    /// The file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        self.is_spent.store(true, Ordering::Relaxed);
        match &self.url {
            DatabaseUrl::Sqlite(path) => Some(path),
            DatabaseUrl::Postgres(_) => None,
        }
    }

    /// Runs statements that no use case offers.
    pub fn execute(&self, sql: &str) {
        self.is_spent.store(true, Ordering::Relaxed);
        execute(&self.url, sql);
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

    /// The address of the database.
    pub fn url(&self) -> &DatabaseUrl {
        self.is_spent.store(true, Ordering::Relaxed);
        &self.url
    }

    fn at(place: Box<dyn Reusable>) -> Self {
        let (connections, statements, is_open, is_spent) = Default::default();
        Self { url: place.url(), place: Some(place), connections, statements, is_open, is_spent }
    }

    /// A database that was used, as it was before.
    fn used(backend: Backend, content: Content) -> Option<Self> {
        let Used { mut place, connections, statements } = Used::take(backend, content)?;
        place.put_back().ok()?;
        let mut used = Self::at(place);
        (used.connections, used.statements) = (connections.into(), statements);
        Some(used)
    }

    /// Leaves it to another test.
    fn leave(&mut self) {
        let connections = std::mem::take(&mut self.connections).into_inner();
        let left = self.place.take().zip(connections);
        let is_spent = *self.is_spent.get_mut() || std::thread::panicking();
        if let Some((place, connections)) = left.filter(|(place, _)| !is_spent && place.may_serve_again()) {
            let used = Used { place, connections, statements: Arc::clone(&self.statements) };
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
    /// A database that nothing uses any more. Threads of a server that has ended may use it for a few milliseconds.
    fn take(backend: Backend, content: Content) -> Option<Self> {
        let mut all = USED.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..all.len() {
            let Self { place, connections, statements } = all.remove(0);
            if place.backend() != backend || place.content() != content {
                all.push(Self { place, connections, statements });
                continue;
            }
            match connections.into_unused() {
                Ok(connections) => return Some(Self { place, connections, statements }),
                Err(connections) => all.push(Self { place, connections, statements }),
            }
        }
        None
    }
}

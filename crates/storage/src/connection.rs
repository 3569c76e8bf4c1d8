//! One connection type over two databases, and how each is opened.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use diesel::connection::{Instrumentation, InstrumentationEvent, SimpleConnection};
use diesel::r2d2::R2D2Connection;
use diesel::{Connection, ConnectionError, PgConnection, SqliteConnection};

use crate::dialect;

/// A connection to either database. Everything that both understand is written once against this type.
#[derive(diesel::MultiConnection)]
pub(crate) enum DbConn {
    /// PostgreSQL through libpq.
    Postgres(PgConnection),
    /// The embedded SQLite.
    Sqlite(SqliteConnection),
}

/// The backend of [`DbConn`], for boxed queries.
pub(crate) type Backend = <DbConn as Connection>::Backend;

/// Repeats one expression for each concrete connection: for what the multi-connection cannot express (upserts,
/// inserts of many rows), and for what nearly every request asks. Only a query of a concrete connection is known by its
/// type; for the multi-connection its text is written each time to find what was prepared.
macro_rules! on_each {
    ($conn:expr, $c:ident => $body:expr) => {
        match &mut *$conn {
            $crate::connection::DbConn::Postgres($c) => $body,
            $crate::connection::DbConn::Sqlite($c) => $body,
        }
    };
}
pub(crate) use on_each;

/// Where the database is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL server, as libpq takes it.
    Postgres(String),
}

/// A database URL of neither kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a database URL starts with sqlite: (then a path) or postgres://")]
pub struct InvalidDatabaseUrl;

impl FromStr for DatabaseUrl {
    type Err = InvalidDatabaseUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        let path = text.strip_prefix("sqlite://").or_else(|| text.strip_prefix("sqlite:")).ok_or(InvalidDatabaseUrl)?;
        if path.is_empty() { Err(InvalidDatabaseUrl) } else { Ok(Self::Sqlite(PathBuf::from(path))) }
    }
}

impl std::fmt::Display for DatabaseUrl {
    /// The kind and the place, without credentials: this goes to logs and terminals.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "SQLite {}", path.display()),
            Self::Postgres(url) => {
                let place = url.split_once("://").map_or("", |(_, rest)| rest);
                let place = place.rsplit_once('@').map_or(place, |(_, host)| host);
                write!(f, "PostgreSQL {}", place.split('?').next().unwrap_or_default())
            }
        }
    }
}

/// Opens connections for a pool.
#[derive(Clone)]
pub(crate) struct Manager {
    pub(crate) url: DatabaseUrl,
    /// Counts statements, where a test wants to know.
    pub(crate) statements: Option<Arc<AtomicU64>>,
}

impl Manager {
    fn open(&self) -> Result<DbConn, ConnectionError> {
        let mut conn = match &self.url {
            DatabaseUrl::Postgres(url) => DbConn::Postgres(PgConnection::establish(url)?),
            DatabaseUrl::Sqlite(path) => DbConn::Sqlite(SqliteConnection::establish(&file_name(path))?),
        };
        dialect::prepare(&mut conn).map_err(ConnectionError::CouldntSetupConfiguration)?;
        if let Some(counter) = &self.statements {
            conn.set_instrumentation(StatementCounter(Arc::clone(counter)));
        }
        Ok(conn)
    }
}

fn file_name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

impl r2d2::ManageConnection for Manager {
    type Connection = DbConn;
    type Error = ConnectError;

    fn connect(&self) -> Result<DbConn, ConnectError> {
        Ok(self.open()?)
    }

    fn is_valid(&self, conn: &mut DbConn) -> Result<(), ConnectError> {
        Ok(conn.batch_execute("SELECT 1")?)
    }

    fn has_broken(&self, conn: &mut DbConn) -> bool {
        std::thread::panicking() || conn.is_broken()
    }
}

/// Why a connection could not be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    #[error("cannot connect")]
    Connect(#[from] ConnectionError),
    #[error("the connection does not answer")]
    Ping(#[from] diesel::result::Error),
}

struct StatementCounter(Arc<AtomicU64>);

impl Instrumentation for StatementCounter {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        if matches!(event, InstrumentationEvent::StartQuery { .. }) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_chooses_the_database() {
        let sqlite = |path: &str| Ok(DatabaseUrl::Sqlite(PathBuf::from(path)));
        assert_eq!("sqlite:data/x.db".parse(), sqlite("data/x.db"));
        assert_eq!("sqlite:///srv/x.db".parse(), sqlite("/srv/x.db"));
        assert_eq!("mysql://x".parse::<DatabaseUrl>(), Err(InvalidDatabaseUrl));
        assert_eq!("sqlite:".parse::<DatabaseUrl>(), Err(InvalidDatabaseUrl));
    }

    #[test]
    fn a_printed_url_has_no_password() {
        let url: DatabaseUrl = "postgres://tenon:secret@db.example/tenon?sslmode=disable".parse().unwrap();
        assert_eq!(url.to_string(), "PostgreSQL db.example/tenon");
    }
}

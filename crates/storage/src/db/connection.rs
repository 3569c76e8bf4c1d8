//! One connection type over two databases.

use std::path::PathBuf;
use std::str::FromStr;

use diesel::{Connection, ConnectionError, PgConnection, SqliteConnection};

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

/// Repeats one expression for each concrete connection. It is needed for what does not compile for the multi-connection
/// (upserts, inserts of many rows). For statements of nearly every request it is only quicker: a query on a concrete
/// connection is known by its type, while the multi-connection writes the text each time to find the prepared statement.
macro_rules! on_each {
    ($conn:expr, $c:ident => $body:expr) => {
        match &mut *$conn {
            $crate::db::connection::DbConn::Postgres($c) => $body,
            $crate::db::connection::DbConn::Sqlite($c) => $body,
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

/// A new connection as the library opens it; what it needs besides is [`super::dialect`]'s.
pub(crate) fn open(url: &DatabaseUrl) -> Result<DbConn, ConnectionError> {
    Ok(match url {
        DatabaseUrl::Postgres(url) => DbConn::Postgres(PgConnection::establish(url)?),
        DatabaseUrl::Sqlite(path) => DbConn::Sqlite(SqliteConnection::establish(&path.to_string_lossy())?),
    })
}

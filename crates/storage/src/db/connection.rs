//! One connection type over two databases.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use diesel::connection::{
    CacheSize, ConnectionSealed, Instrumentation, LoadConnection, SimpleConnection, TransactionManager,
    TransactionManagerStatus,
};
use diesel::expression::QueryMetadata;
use diesel::query_builder::{Query, QueryFragment, QueryId};
use diesel::{Connection, ConnectionError, ConnectionResult, PgConnection, QueryResult, SqliteConnection};
use tenon_postgres_tls::{Tunnel, route};

pub(crate) use super::multi_connection::{AnyConnection, Backend};
use super::statement::{Statement, StatementTexts};

/// A connection to either database that remembers the texts of statements. Everything that both databases understand is written
/// once against this type.
pub(crate) struct DbConn {
    pub(crate) any: AnyConnection,
    texts: StatementTexts,
    /// Keeps the way to the server open, if the connection has TLS.
    _tunnel: Option<Arc<Tunnel>>,
}

impl SimpleConnection for DbConn {
    fn batch_execute(&mut self, query: &str) -> QueryResult<()> {
        self.any.batch_execute(query)
    }
}

impl ConnectionSealed for DbConn {}

impl Connection for DbConn {
    type Backend = Backend;
    type TransactionManager = Self;

    fn establish(database_url: &str) -> ConnectionResult<Self> {
        let url: DatabaseUrl = database_url
            .parse()
            .map_err(|error: InvalidDatabaseUrl| ConnectionError::BadConnection(error.to_string()))?;
        open(&url)
    }

    fn execute_returning_count<T: QueryFragment<Backend> + QueryId>(&mut self, source: &T) -> QueryResult<usize> {
        let statement = self.texts.statement(source, &self.any)?;
        self.any.execute_returning_count(&statement)
    }

    fn transaction_state(&mut self) -> &mut AnyConnection {
        &mut self.any
    }

    fn instrumentation(&mut self) -> &mut dyn Instrumentation {
        self.any.instrumentation()
    }

    fn set_instrumentation(&mut self, instrumentation: impl Instrumentation) {
        self.any.set_instrumentation(instrumentation);
    }

    fn set_prepared_statement_cache_size(&mut self, size: CacheSize) {
        self.any.set_prepared_statement_cache_size(size);
    }
}

impl LoadConnection for DbConn {
    type Cursor<'conn, 'query> = <AnyConnection as LoadConnection>::Cursor<'conn, 'query>;
    type Row<'conn, 'query> = <AnyConnection as LoadConnection>::Row<'conn, 'query>;

    fn load<'conn, 'query, T>(&'conn mut self, source: T) -> QueryResult<Self::Cursor<'conn, 'query>>
    where
        T: Query + QueryFragment<Backend> + QueryId + 'query,
        Backend: QueryMetadata<T::SqlType>,
    {
        let statement = self.texts.statement(source, &self.any)?;
        load(&mut self.any, statement)
    }
}

/// A function of its own, so that the bounds on the query's type play no part: the statement has none.
fn load<'conn, 'query>(
    any: &'conn mut AnyConnection,
    statement: Statement<'query>,
) -> QueryResult<<AnyConnection as LoadConnection>::Cursor<'conn, 'query>> {
    any.load(statement)
}

impl TransactionManager<Self> for DbConn {
    type TransactionStateData = AnyConnection;

    fn begin_transaction(conn: &mut Self) -> QueryResult<()> {
        AnyConnection::begin_transaction(&mut conn.any)
    }

    fn rollback_transaction(conn: &mut Self) -> QueryResult<()> {
        AnyConnection::rollback_transaction(&mut conn.any)
    }

    fn commit_transaction(conn: &mut Self) -> QueryResult<()> {
        AnyConnection::commit_transaction(&mut conn.any)
    }

    fn transaction_manager_status_mut(conn: &mut Self) -> &mut TransactionManagerStatus {
        AnyConnection::transaction_manager_status_mut(&mut conn.any)
    }
}

/// Repeats one expression for each concrete connection: for what does not compile for both at once (upserts, inserts of many rows),
/// and for what the code of one database reads faster (docs/adr/0003): the rows of a page, and what most requests read.
macro_rules! on_each {
    ($conn:expr, $c:ident => $body:expr) => {
        match &mut $conn.any {
            $crate::db::connection::AnyConnection::Postgres($c) => $body,
            $crate::db::connection::AnyConnection::Sqlite($c) => $body,
        }
    };
}
pub(crate) use on_each;

/// The place of the database.
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

impl DatabaseUrl {
    /// The text that [`Self::from_str`] takes, with the password in it.
    pub fn with_credentials(&self) -> String {
        match self {
            Self::Sqlite(path) => format!("sqlite:{}", path.display()),
            Self::Postgres(url) => url.clone(),
        }
    }
}

impl std::fmt::Display for DatabaseUrl {
    /// The kind and the place, without credentials: this goes to logs and terminals.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "SQLite {}", path.display()),
            Self::Postgres(url) => {
                let place = url.split_once("://").map_or("", |(_, rest)| rest);
                let place = place.split('?').next().unwrap_or_default();
                write!(f, "PostgreSQL {}", place.rsplit_once('@').map_or(place, |(_, host)| host))
            }
        }
    }
}

/// The error without what libpq repeats of a malformed address, in which a password may stand.
fn without_secrets(error: ConnectionError, address: &str) -> ConnectionError {
    let ConnectionError::BadConnection(text) = &error else { return error };
    let (_, rest) = address.split_once("://").unwrap_or(("", address));
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let user = place.rsplit_once('@').map_or("", |(user, _)| user);
    let in_query = query.split('&').filter_map(|parameter| parameter.strip_prefix("password="));
    let secrets = user.split_once(':').map(|(_, password)| password).into_iter().chain(in_query);
    let shows = |secret: &str| !secret.is_empty() && text.contains(secret);
    if secrets.into_iter().any(shows) {
        return ConnectionError::BadConnection("the address of the database is malformed".to_owned());
    }
    error
}

/// A new connection as the library opens it; what it needs besides is [`super::dialect`]'s.
pub(crate) fn open(url: &DatabaseUrl) -> Result<DbConn, ConnectionError> {
    let (any, tunnel) = match url {
        DatabaseUrl::Postgres(url) => {
            let tunnel = route(url).map_err(|error| ConnectionError::BadConnection(error.to_string()))?;
            let address = tunnel.as_ref().map_or(url.as_str(), |tunnel| tunnel.address());
            let opened = PgConnection::establish(address).map_err(|error| without_secrets(error, address))?;
            (AnyConnection::Postgres(opened), tunnel)
        }
        DatabaseUrl::Sqlite(path) => {
            (AnyConnection::Sqlite(SqliteConnection::establish(&path.to_string_lossy())?), None)
        }
    };
    Ok(DbConn { any, texts: StatementTexts::default(), _tunnel: tunnel })
}

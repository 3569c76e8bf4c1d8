//! The connection to either database that diesel derives.

use diesel::pg::{Pg, PgQueryBuilder};
use diesel::sqlite::Sqlite;
use diesel::sqlite::query_builder::SqliteQueryBuilder;
use diesel::{Connection, PgConnection, SqliteConnection};

/// A connection to either database.
#[derive(diesel::MultiConnection)]
pub(crate) enum AnyConnection {
    /// PostgreSQL through libpq.
    Postgres(PgConnection),
    /// The embedded SQLite.
    Sqlite(SqliteConnection),
}

/// The backend of both connections, for boxed queries.
pub(crate) type Backend = <AnyConnection as Connection>::Backend;

/// The builder of a statement's text.
type Builder = <Backend as diesel::backend::Backend>::QueryBuilder;

impl AnyConnection {
    /// The backend, and what puts the text of one statement together for it.
    pub(super) fn backend(&self) -> (Backend, Builder) {
        match self {
            Self::Postgres(_) => (Backend::Postgres(Pg), Builder::Postgres(PgQueryBuilder::default())),
            Self::Sqlite(_) => (Backend::Sqlite(Sqlite), Builder::Sqlite(SqliteQueryBuilder::default())),
        }
    }
}

//! All rows of a database in one form for both databases: what a backup keeps of it, and what a restore fills a new one with.
//!
//! A row is an array of JSON, with its values in the order of [`Table::columns`]. The catalog of the database says which tables
//! and columns there are, so that no list of them can fall behind the schema.

mod catalog;
mod dialect;
mod disarm;
mod load;
pub mod named;
pub mod pin;
mod snapshot;
mod table;

use std::io;

use crate::error::StoreError;

pub use disarm::disarm;
pub use load::Batch;
pub use snapshot::Snapshot;
pub use table::{Column, Kind, Table};

/// Why rows could not be written out or loaded.
#[derive(Debug, thiserror::Error)]
pub enum RowsError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file of the rows failed.
    #[error(transparent)]
    File(#[from] io::Error),
    /// A row is not of the form that its table says.
    #[error("table {table}: a row does not have the form of its table")]
    Row {
        /// The table.
        table: String,
    },
    /// There is no such table in this version of the schema.
    #[error("this version of tenon has no table {0}")]
    Table(String),
    /// After the load, rows of this table name rows that are not there.
    #[error("table {0}: a row names a row of another table that is not there")]
    Dangling(String),
}

impl From<diesel::result::Error> for RowsError {
    fn from(error: diesel::result::Error) -> Self {
        Self::Store(error.into())
    }
}

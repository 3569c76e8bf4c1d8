//! Filling a new database with the rows of a backup.

use chrono::NaiveDateTime;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;

use super::catalog::tables;
use super::table::Table;
use super::{RowsError, dialect};
use crate::db::connection::DbConn;
use crate::db::dialect::begin_write;
use crate::db::tx::{Database, run};
use crate::error::StoreResult;
use crate::schema::jobs;
use crate::text_index;

/// Some rows of one table.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The table.
    pub table: String,
    /// Its rows, each an array with a value for each column, by the names of the columns.
    pub rows: Vec<String>,
}

impl Database {
    /// The tables of a backup of this database; none if it has no migration yet.
    pub fn backup_tables(&self) -> Result<Vec<Table>, RowsError> {
        Ok(self.bare(tables)?)
    }

    /// Replaces all rows by those that `next` yields, in one transaction: everything or nothing is loaded. The rows of a table need
    /// not come together, nor in an order. Afterwards ids are left free behind the highest one of each table. Fails if a row does not have the form of its table, or names another one that is not there.
    pub fn load_rows(&self, next: &mut dyn FnMut() -> Result<Option<Batch>, RowsError>) -> Result<(), RowsError> {
        self.bare(|conn| Ok(load(conn, next)))?
    }

    /// Makes loaded rows those of a server that starts: the words of issues are indexed, and the jobs that were claimed are given back,
    /// as the processes that had them are gone. The database must have all migrations of this version.
    pub fn finish_load(&self) -> StoreResult<()> {
        self.write(|tx| {
            text_index::rebuild(tx.conn)?;
            let claimed = jobs::table.filter(jobs::lease_until.is_not_null());
            diesel::update(claimed).set(jobs::lease_until.eq(None::<NaiveDateTime>)).execute(tx.conn)?;
            Ok(())
        })
    }
}

fn load(conn: &mut DbConn, next: &mut dyn FnMut() -> Result<Option<Batch>, RowsError>) -> Result<(), RowsError> {
    dialect::allow_time(conn)?;
    // For SQLite, which does this outside of a transaction only.
    dialect::ignore_references(conn)?;
    begin_write(conn)?;
    let loaded = run(conn, |conn| {
        let tables = tables(conn)?;
        let suspended = dialect::suspend(conn)?;
        for table in &tables {
            conn.batch_execute(&format!("DELETE FROM {}", dialect::quoted(&table.name)))?;
        }
        while let Some(batch) = next()? {
            let table = tables.iter().find(|table| table.name == batch.table);
            let table = table.ok_or_else(|| RowsError::Table(batch.table.clone()))?;
            let rows: Vec<String> = batch.rows.iter().map(|row| table.stored(row)).collect::<Result<_, _>>()?;
            dialect::insert(conn, table, &format!("[{}]", rows.join(",")))?;
        }
        for statement in suspended {
            conn.batch_execute(&statement)?;
        }
        if let Some(table) = dialect::dangling(conn)? {
            return Err(RowsError::Dangling(table));
        }
        for table in tables.iter().filter(|table| table.key == ["id"]) {
            dialect::leave_ids_free(conn, table)?;
        }
        Ok(())
    });
    dialect::heed_references(conn)?;
    loaded
}

//! All rows of a database as they were at one moment, while others write.

use std::path::Path;

use diesel::connection::SimpleConnection;

use super::catalog::tables;
use super::table::Table;
use super::{RowsError, dialect};
use crate::cache::access_cache::{Access, AccessCache, CacheHandle};
use crate::db::connection::{self, DatabaseUrl, DbConn};
use crate::db::dialect::{begin_read, prepare};
use crate::db::tx::ReadTx;
use crate::error::{StoreError, StoreResult};

/// The state of a database at one moment. On PostgreSQL it is a transaction. On SQLite it is a copy, because a transaction that
/// reads for long would keep the log of the database growing.
pub struct Snapshot {
    conn: DbConn,
}

impl Snapshot {
    /// The state of the database at `url` now. The copy of a SQLite file is `scratch`, which must not be there and which the
    /// caller removes.
    pub fn take(url: &DatabaseUrl, scratch: &Path) -> StoreResult<Self> {
        let mut conn = opened(url)?;
        if dialect::copy(&mut conn, scratch)? {
            conn = opened(&DatabaseUrl::Sqlite(scratch.to_owned()))?;
        }
        Self::begun(conn)
    }

    /// The state of a database to which nobody writes.
    pub fn of_idle(url: &DatabaseUrl) -> StoreResult<Self> {
        Self::begun(opened(url)?)
    }

    fn begun(mut conn: DbConn) -> StoreResult<Self> {
        dialect::allow_time(&mut conn)?;
        begin_read(&mut conn)?;
        // The first statement is what takes the snapshot.
        conn.batch_execute("SELECT 1 FROM users WHERE id = 0")?;
        Ok(Self { conn })
    }

    /// The tables whose rows [`Self::rows`] hands over.
    pub fn tables(&mut self) -> StoreResult<Vec<Table>> {
        tables(&mut self.conn)
    }

    /// Hands over the rows of a table, in the order of its key. Holds a few hundred of them at once.
    pub fn rows(
        &mut self,
        table: &Table,
        sink: &mut dyn FnMut(&str) -> Result<(), RowsError>,
    ) -> Result<(), RowsError> {
        dialect::rows(&mut self.conn, table, &mut |line| sink(&table.canonical(line)?))
    }

    /// Runs `work` on the snapshot, as [`crate::Database::read`] does.
    pub fn read<T, E: From<StoreError>>(&mut self, work: impl FnOnce(&mut ReadTx<'_>) -> Result<T, E>) -> Result<T, E> {
        let cache = AccessCache::default();
        work(&mut ReadTx { conn: &mut self.conn, cache: &CacheHandle::new(&cache, Access::Reads) })
    }
}

fn opened(url: &DatabaseUrl) -> StoreResult<DbConn> {
    let mut conn = connection::open(url)?;
    prepare(&mut conn)?;
    Ok(conn)
}

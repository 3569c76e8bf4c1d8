//! A SQLite database that can be put back to the rows it held.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Error, Transaction, TransactionBehavior};
use tempfile::TempDir;

/// The name of the copy.
const FILE: &str = "kept.db";

/// A copy of a database, and a connection that sees both and starts no triggers: the copy has their results.
pub(crate) struct KeptRows {
    connection: Mutex<Connection>,
    /// The query for the tables whose rows differ.
    changed: String,
    /// The folder of the copy, if [`KeptRows::keep`] has made it.
    _folder: Option<TempDir>,
}

impl KeptRows {
    /// Copies the database in this file.
    pub(crate) fn keep(file: &Path) -> Result<Self, Error> {
        let folder = tempfile::tempdir().expect("a folder");
        let copy = folder.path().join(FILE);
        Connection::open(file)?.execute("VACUUM INTO ?1", [copy.to_str()])?;
        Ok(Self { _folder: Some(folder), ..Self::of_copy(file, &copy)? })
    }

    /// The rows of the database in `file` will be those in `copy`, a database with the same tables that never changes.
    pub(crate) fn of_copy(file: &Path, copy: &Path) -> Result<Self, Error> {
        let connection = connect(file, copy)?;
        let changed = changed(&connection)?;
        Ok(Self { connection: Mutex::new(connection), changed, _folder: None })
    }

    /// Puts the rows of every table back. Processes that have the database open go on with them.
    pub(crate) fn put_back(&self) -> Result<(), Error> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        self.put_rows_back(connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
    }

    fn put_rows_back(&self, transaction: Transaction<'_>) -> Result<(), Error> {
        let mut changed = transaction.prepare_cached(&self.changed)?;
        let tables = changed.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
        drop(changed);
        for name in tables {
            let rows = format!("DELETE FROM main.{name}; INSERT INTO main.{name} SELECT * FROM kept.{name}");
            transaction.execute_batch(&rows)?;
        }
        transaction.commit()
    }
}

/// A connection to the database in `file` that sees the one in `copy` as `kept`. It locks nothing there: others may do
/// the same.
fn connect(file: &Path, copy: &Path) -> Result<Connection, Error> {
    let connection = Connection::open(file)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.execute_batch(&format!(
        "PRAGMA busy_timeout = 5000; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; \
         ATTACH 'file:{}?immutable=1' AS kept",
        copy.display(),
    ))?;
    Ok(connection)
}

/// The query for the names of the tables whose rows differ from those of the copy.
fn changed(connection: &Connection) -> Result<String, Error> {
    // The contents of a virtual table are in other tables. The counters of ids come last: inserting moves them.
    let tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL TABLE %' \
                  ORDER BY name = 'sqlite_sequence'";
    let mut tables = connection.prepare(tables)?;
    let names = tables.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    let differs = names.iter().map(|name| {
        format!(
            "SELECT '{name}' AS name WHERE (SELECT count(*) FROM main.{name}) <> (SELECT count(*) FROM kept.{name}) \
             OR EXISTS (SELECT * FROM main.{name} EXCEPT SELECT * FROM kept.{name})"
        )
    });
    Ok(differs.collect::<Vec<_>>().join(" UNION ALL "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_put_back_without_triggers() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("database.db");
        let database = Connection::open(&file).unwrap();
        database
            .execute_batch(
                "CREATE TABLE things (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT); CREATE TABLE changes (count INTEGER); \
                 INSERT INTO changes VALUES (0); INSERT INTO things (name) VALUES ('kept'), ('gone'); \
                 CREATE TRIGGER things_insert AFTER INSERT ON things BEGIN UPDATE changes SET count = count + 1; END;",
            )
            .unwrap();
        let seen = || {
            let sql = "SELECT group_concat(id || name, ' ') || (SELECT count FROM changes) || \
                       (SELECT seq FROM sqlite_sequence) FROM things";
            database.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap()
        };
        let kept = KeptRows::keep(&file).unwrap();
        for _ in 0..2 {
            database
                .execute_batch("DELETE FROM things WHERE id = 2; INSERT INTO things (name) VALUES ('new')")
                .unwrap();
            assert_eq!(seen(), "1kept 3new13");
            kept.put_back().unwrap();
            assert_eq!(seen(), "1kept 2gone02");
        }
    }
}

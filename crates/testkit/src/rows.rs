//! A SQLite database that can be put back to the rows it held.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use diesel::connection::SimpleConnection;
use diesel::sql_types::Text;
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection, sql_query};
use tempfile::TempDir;

/// What the copy is called.
const FILE: &str = "kept.db";

/// A copy of a database, and a connection that sees both.
pub(crate) struct KeptRows {
    connection: Mutex<SqliteConnection>,
    /// Asks for the tables whose rows differ.
    changed: String,
    _folder: TempDir,
}

/// A row of SQLite's own list of tables and triggers.
#[derive(QueryableByName)]
struct Made {
    #[diesel(sql_type = Text)]
    name: String,
    /// The table of a trigger.
    #[diesel(sql_type = Text)]
    tbl_name: String,
    /// The statement that makes it.
    #[diesel(sql_type = Text)]
    sql: String,
}

#[derive(QueryableByName)]
struct Changed {
    #[diesel(sql_type = Text)]
    name: String,
}

impl KeptRows {
    /// Copies the database in this file.
    pub(crate) fn keep(file: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let copy = folder.path().join(FILE);
        let mut connection = SqliteConnection::establish(file.to_str().expect("a path")).expect("a connection");
        let settings = "PRAGMA busy_timeout = 5000; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF";
        let copied = format!("{settings}; VACUUM INTO '{0}'; ATTACH '{0}' AS kept", copy.display());
        connection.batch_execute(&copied).expect("a copy of the database beside it");
        // What a virtual table holds is in other tables. The counters of ids come last: inserting moves them.
        let tables = made(
            &mut connection,
            "type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL TABLE %' ORDER BY name = 'sqlite_sequence'",
        );
        let differs = tables.iter().map(|Made { name, .. }| {
            format!(
                "SELECT '{name}' AS name WHERE (SELECT count(*) FROM main.{name}) <> (SELECT count(*) FROM kept.{name}) \
                 OR EXISTS (SELECT * FROM main.{name} EXCEPT SELECT * FROM kept.{name})"
            )
        });
        let changed = differs.collect::<Vec<_>>().join(" UNION ALL ");
        Self { connection: Mutex::new(connection), changed, _folder: folder }
    }

    /// Puts the rows of every table back. Those who have the database open go on with them.
    pub(crate) fn put_back(&self) {
        let connection = &mut *self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let tables: Vec<Changed> = sql_query(&self.changed).load(connection).expect("the tables that differ");
        let rows: String = tables
            .iter()
            .map(|Changed { name }| {
                format!("DELETE FROM main.{name}; INSERT INTO main.{name} SELECT * FROM kept.{name};")
            })
            .collect();
        // What triggers would do is in the rows already.
        let mut triggers = made(connection, "type = 'trigger'");
        triggers.retain(|trigger| tables.iter().any(|table| table.name == trigger.tbl_name));
        let without: String = triggers.iter().map(|Made { name, .. }| format!("DROP TRIGGER main.{name};")).collect();
        let with: String = triggers.iter().map(|Made { sql, .. }| format!("{sql};")).collect();
        connection.batch_execute(&format!("BEGIN IMMEDIATE; {without} {rows} {with} COMMIT")).expect("rows put back");
    }
}

/// Those of the copy's tables and triggers.
fn made(connection: &mut SqliteConnection, which: &str) -> Vec<Made> {
    let query = format!("SELECT name, tbl_name, sql FROM kept.sqlite_master WHERE {which}");
    sql_query(query).load(connection).expect("tables and triggers")
}

//! The differences of the two databases, as far as rows are written out and loaded.

use std::path::Path;

use diesel::connection::{DefaultLoadingMode, SimpleConnection};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};

use super::RowsError;
use super::table::{Kind, Table};
use crate::db::connection::{AnyConnection, DbConn, on_each};

/// Rows that PostgreSQL hands over at once.
const ROWS_AT_ONCE: usize = 500;
/// Ids that are left free behind the highest one. What was made after the backup may be remembered elsewhere by its id, which
/// must not come to name something else.
const FREE_IDS: i64 = 10_000;

/// A name as both databases take it, whatever it is.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A column as the catalog lists it.
#[derive(QueryableByName)]
pub(super) struct Listed {
    #[diesel(sql_type = Text)]
    pub(super) table_name: String,
    #[diesel(sql_type = Text)]
    pub(super) column_name: String,
    #[diesel(sql_type = Text)]
    pub(super) declared: String,
    /// The place in the primary key, from 1 on; 0 if it is no part of it.
    #[diesel(sql_type = BigInt)]
    pub(super) key_place: i64,
}

const SQLITE: &str = "SELECT m.name AS table_name, p.name AS column_name, p.type AS declared, p.pk AS key_place \
     FROM sqlite_master m JOIN pragma_table_info(m.name) p \
     WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY m.name, p.name";

const POSTGRES: &str = "SELECT c.relname::text AS table_name, a.attname::text AS column_name, \
     format_type(a.atttypid, NULL) AS declared, \
     coalesce(array_position(string_to_array(i.indkey::text, ' '), a.attnum::text), 0)::bigint AS key_place \
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid \
     LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary \
     WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND a.attnum > 0 AND NOT a.attisdropped \
     ORDER BY c.relname COLLATE \"C\", a.attname COLLATE \"C\"";

/// All columns of all tables, by the names of both.
pub(super) fn columns(conn: &mut DbConn) -> QueryResult<Vec<Listed>> {
    match &mut conn.any {
        AnyConnection::Sqlite(c) => sql_query(SQLITE).load(c),
        AnyConnection::Postgres(c) => sql_query(POSTGRES).load(c),
    }
}

/// Copies a SQLite database, as it is at one moment, to a file that is not there yet. `false` on PostgreSQL, which needs no copy.
pub(super) fn copy(conn: &mut DbConn, to: &Path) -> QueryResult<bool> {
    let AnyConnection::Sqlite(c) = &mut conn.any else { return Ok(false) };
    sql_query("VACUUM INTO ?").bind::<Text, _>(to.to_string_lossy()).execute(c)?;
    Ok(true)
}

/// Takes the limits away that statements and transactions have on PostgreSQL.
pub(super) fn allow_time(conn: &mut DbConn) -> QueryResult<()> {
    match &mut conn.any {
        AnyConnection::Sqlite(_) => Ok(()),
        AnyConnection::Postgres(c) => {
            c.batch_execute("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0")
        }
    }
}

/// A row as the database prints it.
#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

/// Hands over each row of a table, printed as an array, in the order of the key.
pub(super) fn rows(
    conn: &mut DbConn,
    table: &Table,
    sink: &mut dyn FnMut(&str) -> Result<(), RowsError>,
) -> Result<(), RowsError> {
    let names = |format: &dyn Fn(Kind, String) -> String| -> String {
        let columns: Vec<String> =
            table.columns.iter().map(|column| format(column.kind, quoted(&column.name))).collect();
        columns.join(", ")
    };
    let name = quoted(&table.name);
    match &mut conn.any {
        AnyConnection::Sqlite(c) => {
            let values = names(&|_, column| column);
            let select = format!("SELECT json_array({values}) AS line FROM {name} ORDER BY {}", order(table, ""));
            for row in sql_query(select).load_iter::<Line, DefaultLoadingMode>(c)? {
                sink(&row?.line)?;
            }
        }
        AnyConnection::Postgres(c) => {
            let values = names(&|kind, column| match kind {
                Kind::Time => format!("to_char({column}, 'YYYY-MM-DD HH24:MI:SS.US')"),
                Kind::Date => format!("{column}::text"),
                Kind::Integer | Kind::Text | Kind::Boolean => column,
            });
            // A key sorts as its bytes do, whatever the language of the database.
            let order = order(table, " COLLATE \"C\"");
            c.batch_execute(&format!(
                "DECLARE backup_rows NO SCROLL CURSOR FOR \
                 SELECT json_build_array({values})::text AS line FROM {name} ORDER BY {order}"
            ))?;
            loop {
                let rows: Vec<Line> = sql_query(format!("FETCH {ROWS_AT_ONCE} FROM backup_rows")).load(c)?;
                if rows.is_empty() {
                    break;
                }
                for row in rows {
                    sink(&row.line)?;
                }
            }
            c.batch_execute("CLOSE backup_rows")?;
        }
    }
    Ok(())
}

/// The columns of the key, with `of_text` behind those that are text.
fn order(table: &Table, of_text: &str) -> String {
    let is_text = |name: &str| table.columns.iter().any(|column| column.name == name && column.kind == Kind::Text);
    let sorted = table.key.iter().map(|name| format!("{}{}", quoted(name), if is_text(name) { of_text } else { "" }));
    sorted.collect::<Vec<_>>().join(", ")
}

/// Lets rows name others that are not there yet, on SQLite. Outside of a transaction only.
pub(super) fn ignore_references(conn: &mut DbConn) -> QueryResult<()> {
    match &mut conn.any {
        AnyConnection::Sqlite(c) => c.batch_execute("PRAGMA foreign_keys = OFF"),
        AnyConnection::Postgres(_) => Ok(()),
    }
}

/// Ends [`ignore_references`].
pub(super) fn heed_references(conn: &mut DbConn) -> QueryResult<()> {
    match &mut conn.any {
        AnyConnection::Sqlite(c) => c.batch_execute("PRAGMA foreign_keys = ON"),
        AnyConnection::Postgres(_) => Ok(()),
    }
}

/// A statement that takes something away, and the one that puts it back.
#[derive(QueryableByName)]
struct Suspended {
    #[diesel(sql_type = Text)]
    off: String,
    #[diesel(sql_type = Text)]
    on: String,
}

const SQLITE_TRIGGERS: &str =
    "SELECT 'DROP TRIGGER \"' || name || '\"' AS off, sql AS \"on\" FROM sqlite_master WHERE type = 'trigger'";

const POSTGRES_TRIGGERS: &str = "SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS off, \
     format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS \"on\" \
     FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace \
     UNION ALL \
     SELECT DISTINCT format('ALTER TABLE %s DISABLE TRIGGER USER', tgrelid::regclass), \
     format('ALTER TABLE %s ENABLE TRIGGER USER', tgrelid::regclass) \
     FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid \
     WHERE NOT tgisinternal AND c.relnamespace = current_schema()::regnamespace";

/// Takes triggers away, and on PostgreSQL references, so that rows can come in any order. Yields the statements that put them back;
/// PostgreSQL checks the references then.
pub(super) fn suspend(conn: &mut DbConn) -> QueryResult<Vec<String>> {
    let found: Vec<Suspended> = match &mut conn.any {
        AnyConnection::Sqlite(c) => sql_query(SQLITE_TRIGGERS).load(c)?,
        AnyConnection::Postgres(c) => sql_query(POSTGRES_TRIGGERS).load(c)?,
    };
    for Suspended { off, .. } in &found {
        conn.batch_execute(off)?;
    }
    Ok(found.into_iter().map(|suspended| suspended.on).collect())
}

/// A table with a row that names one that is not there.
#[derive(QueryableByName)]
struct Dangling {
    #[diesel(sql_type = Text)]
    table: String,
}

/// A table with a row that names one that is not there, if there is any. PostgreSQL has refused such rows already.
pub(super) fn dangling(conn: &mut DbConn) -> QueryResult<Option<String>> {
    let AnyConnection::Sqlite(c) = &mut conn.any else { return Ok(None) };
    let found: Option<Dangling> =
        sql_query("SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1").get_result(c).optional()?;
    Ok(found.map(|found| found.table))
}

/// Inserts rows, an array of arrays, by one statement.
pub(super) fn insert(conn: &mut DbConn, table: &Table, rows: &str) -> QueryResult<()> {
    let columns: Vec<String> = table.columns.iter().map(|column| quoted(&column.name)).collect();
    let value = |(at, kind): (usize, Kind)| match (&conn.any, kind) {
        (AnyConnection::Sqlite(_), _) => format!("json_extract(value, '$[{at}]')"),
        (AnyConnection::Postgres(_), Kind::Integer) => format!("(value->>{at})::bigint"),
        (AnyConnection::Postgres(_), Kind::Text) => format!("value->>{at}"),
        (AnyConnection::Postgres(_), Kind::Boolean) => format!("(value->>{at})::boolean"),
        (AnyConnection::Postgres(_), Kind::Time) => format!("(value->>{at})::timestamp"),
        (AnyConnection::Postgres(_), Kind::Date) => format!("(value->>{at})::date"),
    };
    let values: Vec<String> = table.columns.iter().map(|column| column.kind).enumerate().map(value).collect();
    let source = match &conn.any {
        AnyConnection::Sqlite(_) => "json_each(?)",
        AnyConnection::Postgres(_) => "jsonb_array_elements($1::jsonb) AS rows (value)",
    };
    let statement = format!(
        "INSERT INTO {} ({}) SELECT {} FROM {source}",
        quoted(&table.name),
        columns.join(", "),
        values.join(", ")
    );
    on_each!(conn, c => sql_query(statement).bind::<Text, _>(rows).execute(c)).map(drop)
}

/// Leaves ids free behind the highest one of a table whose ids the database gives.
pub(super) fn leave_ids_free(conn: &mut DbConn, table: &Table) -> QueryResult<()> {
    let name = quoted(&table.name);
    match &mut conn.any {
        AnyConnection::Sqlite(c) => sql_query("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = ?")
            .bind::<BigInt, _>(FREE_IDS)
            .bind::<Text, _>(&table.name)
            .execute(c)
            .map(drop),
        AnyConnection::Postgres(c) => c.batch_execute(&format!(
            "SELECT setval(s, (SELECT coalesce(max(id), 0) + {FREE_IDS} FROM {name})) \
             FROM pg_get_serial_sequence('{name}', 'id') s WHERE s IS NOT NULL"
        )),
    }
}

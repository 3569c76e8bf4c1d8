//! The tables of a backup, as the catalog of the database knows them.

use std::collections::BTreeMap;

use super::dialect::{self, Listed};
use super::table::{Column, Kind, Table};
use crate::db::connection::DbConn;
use crate::error::{StoreError, StoreResult};

/// Tables that a backup leaves out: the migrations that were run (a restore runs them), the index of words (it is made anew),
/// the number by which caches know what changed, who is signed in, the pins of backups, and what the server has done to itself. A
/// name that ends with `*` stands for all that begin like this.
const LEFT_OUT: [&str; 7] = [
    "__diesel_schema_migrations",
    "access_revision",
    "backup_pins",
    "issuable_search*",
    "server_tasks",
    "sessions",
    "sign_in_challenges",
];

/// The tables of a backup, by name.
pub(super) fn tables(conn: &mut DbConn) -> StoreResult<Vec<Table>> {
    let mut tables: BTreeMap<String, (Vec<Column>, BTreeMap<i64, String>)> = BTreeMap::new();
    for Listed { table_name, column_name, declared, key_place } in dialect::columns(conn)? {
        let is_left_out = |pattern: &&str| {
            pattern.strip_suffix('*').map_or(table_name == **pattern, |start| table_name.starts_with(start))
        };
        if LEFT_OUT.iter().any(is_left_out) {
            continue;
        }
        let kind = kind(&declared).ok_or_else(|| {
            let text = format!("{table_name}.{column_name} is of the type {declared}, which a backup does not know");
            StoreError::Backend(diesel::result::Error::QueryBuilderError(text.into()))
        })?;
        let (columns, key) = tables.entry(table_name).or_default();
        if key_place > 0 {
            key.insert(key_place, column_name.clone());
        }
        columns.push(Column { name: column_name, kind });
    }
    let table = |(name, (columns, key)): (String, (Vec<Column>, BTreeMap<i64, String>))| Table {
        name,
        columns,
        key: key.into_values().collect(),
    };
    Ok(tables.into_iter().map(table).collect())
}

fn kind(declared: &str) -> Option<Kind> {
    Some(match declared.to_ascii_lowercase().as_str() {
        "integer" | "bigint" => Kind::Integer,
        "text" => Kind::Text,
        "boolean" => Kind::Boolean,
        "timestamp" | "timestamp without time zone" => Kind::Time,
        "date" => Kind::Date,
        _ => return None,
    })
}

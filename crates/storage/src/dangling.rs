//! Rows that name rows of other tables which are not there. The database refuses to write such rows. They are there after damage, or
//! after writes by other programs that have foreign keys switched off.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};

use crate::db::connection::DbConn;
use crate::db::dialect::{self, ListedKey};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;

/// A foreign key that rows do not obey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dangling {
    /// The table of the rows.
    pub table: String,
    /// The table of the rows that are not there.
    pub parent: String,
    /// How many rows there are.
    pub count: i64,
    /// How the rows are mended.
    pub remedy: Remedy,
    /// The condition of the rows that are mended.
    condition: String,
}

/// How rows are mended that name what is not there: as the deletion of the named row would have done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// These columns become null: `a = NULL, b = NULL`.
    Clear(String),
    /// The rows go, of which so many are named by no other row.
    Remove(i64),
}

/// A foreign key: each column with the column of the other table that it names.
struct ForeignKey {
    table: String,
    parent: String,
    columns: Vec<(String, String)>,
    sets_null: bool,
}

impl ForeignKey {
    /// True of rows of the table that name a row of the other one which is not there.
    fn is_broken(&self) -> String {
        let Self { table, parent, columns, .. } = self;
        let set: String = columns.iter().map(|(column, _)| format!("{table}.\"{column}\" IS NOT NULL AND ")).collect();
        format!("{set}NOT EXISTS (SELECT 1 FROM \"{parent}\" AS other WHERE {})", self.joined("other", table))
    }

    /// True of rows of the other table that a row of the table names.
    fn names(&self) -> String {
        format!("EXISTS (SELECT 1 FROM \"{}\" AS naming WHERE {})", self.table, self.joined(&self.parent, "naming"))
    }

    fn joined(&self, parent: &str, child: &str) -> String {
        let equal = |(own, theirs): &(String, String)| format!("{parent}.\"{theirs}\" = {child}.\"{own}\"");
        self.columns.iter().map(equal).collect::<Vec<_>>().join(" AND ")
    }
}

fn foreign_keys(conn: &mut DbConn) -> QueryResult<Vec<ForeignKey>> {
    let mut keys: BTreeMap<(String, i64), ForeignKey> = BTreeMap::new();
    for ListedKey { child, parent, number, own, theirs, sets_null } in dialect::foreign_keys(conn)? {
        let new = || ForeignKey { table: child.clone(), parent, columns: Vec::new(), sets_null: sets_null == 1 };
        keys.entry((child.clone(), number)).or_insert_with(new).columns.push((own, theirs));
    }
    Ok(keys.into_values().collect())
}

#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

fn count(conn: &mut DbConn, table: &str, condition: &str) -> QueryResult<i64> {
    let counted: Counted =
        sql_query(format!("SELECT COUNT(*) AS count FROM \"{table}\" WHERE {condition}")).get_result(conn)?;
    Ok(counted.count)
}

/// All foreign keys that rows do not obey, by table.
pub fn find(tx: &mut ReadTx<'_>) -> StoreResult<Vec<Dangling>> {
    dialect::allow_time_here(tx.conn)?;
    let keys = foreign_keys(tx.conn)?;
    let mut found = Vec::new();
    for key in &keys {
        let broken = key.is_broken();
        let rows = count(tx.conn, &key.table, &broken)?;
        if rows == 0 {
            continue;
        }
        let (remedy, condition) = if key.sets_null {
            let cleared: Vec<String> = key.columns.iter().map(|(own, _)| format!("\"{own}\" = NULL")).collect();
            (Remedy::Clear(cleared.join(", ")), broken)
        } else {
            let naming = keys.iter().filter(|other| other.parent == key.table);
            let condition = naming.fold(broken, |condition, other| format!("{condition} AND NOT {}", other.names()));
            (Remedy::Remove(count(tx.conn, &key.table, &condition)?), condition)
        };
        found.push(Dangling { table: key.table.clone(), parent: key.parent.clone(), count: rows, remedy, condition });
    }
    Ok(found)
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

/// The rows that are mended, each as an object in JSON.
pub fn rows(tx: &mut ReadTx<'_>, dangling: &Dangling) -> StoreResult<Vec<String>> {
    let Dangling { table, condition, .. } = dangling;
    let object = dialect::row_object(tx.conn, table)?;
    let lines: Vec<Line> =
        sql_query(format!("SELECT {object} AS line FROM \"{table}\" WHERE {condition}")).load(tx.conn)?;
    Ok(lines.into_iter().map(|row| row.line).collect())
}

/// Mends the rows.
pub fn mend(tx: &mut WriteTx<'_>, dangling: &Dangling) -> StoreResult<()> {
    let Dangling { table, condition, remedy, .. } = dangling;
    let statement = match remedy {
        Remedy::Clear(columns) => format!("UPDATE \"{table}\" SET {columns} WHERE {condition}"),
        Remedy::Remove(_) => format!("DELETE FROM \"{table}\" WHERE {condition}"),
    };
    sql_query(statement).execute(tx.conn)?;
    Ok(())
}

//! Rows that name rows of other tables which are not there. The database refuses to write such rows. They are there after damage, or
//! after writes by other programs that have foreign keys switched off.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};

use crate::db::connection::{AnyConnection, DbConn};
use crate::db::dialect;
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
    /// How many of them are named by no other row.
    pub unnamed: i64,
    /// The condition of the latter.
    condition: String,
}

/// A foreign key: each column with the column of the other table that it names.
struct ForeignKey {
    table: String,
    parent: String,
    columns: Vec<(String, String)>,
}

impl ForeignKey {
    /// True of rows of the table that name a row of the other one which is not there.
    fn is_broken(&self) -> String {
        let Self { table, parent, columns } = self;
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

#[derive(QueryableByName)]
struct Listed {
    #[diesel(sql_type = Text)]
    child: String,
    #[diesel(sql_type = Text)]
    parent: String,
    /// The number of the key among those of its table.
    #[diesel(sql_type = BigInt)]
    number: i64,
    #[diesel(sql_type = Text)]
    own: String,
    #[diesel(sql_type = Text)]
    theirs: String,
}

const SQLITE: &str = "SELECT m.name AS child, f.\"table\" AS parent, CAST(f.id AS BIGINT) AS number, f.\"from\" AS own, \
     COALESCE(f.\"to\", (SELECT name FROM pragma_table_info(f.\"table\") WHERE pk = f.seq + 1)) AS theirs \
     FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table' ORDER BY m.name, f.id, f.seq";

const POSTGRES: &str = "SELECT c.relname::text AS child, p.relname::text AS parent, k.oid::bigint AS number, \
     own.attname::text AS own, theirs.attname::text AS theirs \
     FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid \
     CROSS JOIN LATERAL unnest(k.conkey, k.confkey) WITH ORDINALITY AS pair (own, theirs, place) \
     JOIN pg_attribute own ON own.attrelid = c.oid AND own.attnum = pair.own \
     JOIN pg_attribute theirs ON theirs.attrelid = p.oid AND theirs.attnum = pair.theirs \
     WHERE k.contype = 'f' AND c.relnamespace = current_schema()::regnamespace \
     ORDER BY c.relname COLLATE \"C\", k.oid, pair.place";

fn foreign_keys(conn: &mut DbConn) -> QueryResult<Vec<ForeignKey>> {
    let listed: Vec<Listed> = match &mut conn.any {
        AnyConnection::Sqlite(c) => sql_query(SQLITE).load(c)?,
        AnyConnection::Postgres(c) => sql_query(POSTGRES).load(c)?,
    };
    let mut keys: BTreeMap<(String, i64), ForeignKey> = BTreeMap::new();
    for Listed { child, parent, number, own, theirs } in listed {
        let new = || ForeignKey { table: child.clone(), parent, columns: Vec::new() };
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
        let naming = keys.iter().filter(|other| other.parent == key.table);
        let condition = naming.fold(broken, |condition, other| format!("{condition} AND NOT {}", other.names()));
        found.push(Dangling {
            table: key.table.clone(),
            parent: key.parent.clone(),
            count: rows,
            unnamed: count(tx.conn, &key.table, &condition)?,
            condition,
        });
    }
    Ok(found)
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

/// The rows that no other row names, each as an object in JSON.
pub fn rows(tx: &mut ReadTx<'_>, dangling: &Dangling) -> StoreResult<Vec<String>> {
    let Dangling { table, condition, .. } = dangling;
    let object = match &mut tx.conn.any {
        AnyConnection::Postgres(_) => format!("row_to_json(\"{table}\")::text"),
        AnyConnection::Sqlite(c) => {
            let pairs =
                "SELECT group_concat(quote(name) || ', \"' || name || '\"', ', ') AS line FROM pragma_table_info";
            let pairs = format!("{pairs}('{table}')");
            let pairs: Line = sql_query(pairs).get_result(c)?;
            format!("json_object({})", pairs.line)
        }
    };
    let lines: Vec<Line> =
        sql_query(format!("SELECT {object} AS line FROM \"{table}\" WHERE {condition}")).load(tx.conn)?;
    Ok(lines.into_iter().map(|row| row.line).collect())
}

/// Deletes the rows that no other row names.
pub fn delete(tx: &mut WriteTx<'_>, dangling: &Dangling) -> StoreResult<()> {
    let Dangling { table, condition, .. } = dangling;
    sql_query(format!("DELETE FROM \"{table}\" WHERE {condition}")).execute(tx.conn)?;
    Ok(())
}

//! Rows as a file of lines: first the tables, then for each of them its name and its rows.
//!
//! A later backup writes what has changed since a file that has all rows: the rows that are new or different, and the keys of those
//! that are gone, in the same order.

mod changes;
mod key;
mod lines;
mod reader;

use std::collections::BTreeMap;
use std::io::Write;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tenon_storage::backup::{RowsError, Snapshot, Table};

use crate::error::BackupError;
use crate::manifest::TableSum;
use crate::progress::{Progress, Step};

pub(crate) use changes::write_changes;
pub(crate) use lines::Lines;
pub(crate) use reader::Reader;

/// Rows between two reports of progress.
const TOLD_EVERY: usize = 1_000;

/// The first line.
#[derive(Serialize, Deserialize)]
struct Tables {
    tables: Vec<Table>,
}

/// The line before the rows of a table.
#[derive(Serialize, Deserialize)]
struct Begin {
    table: String,
}

/// Counts the rows of each table.
#[derive(Default)]
struct Sums(BTreeMap<String, (u64, Sha256)>);

impl Sums {
    fn begin(&mut self, table: &str) {
        self.0.entry(table.to_owned()).or_default();
    }

    fn add(&mut self, table: &str, row: &str) {
        if let Some((rows, digest)) = self.0.get_mut(table) {
            *rows += 1;
            digest.update(row);
            digest.update("\n");
        }
    }

    fn finish(self) -> Vec<TableSum> {
        let sum = |(name, (rows, digest)): (String, (u64, Sha256))| TableSum {
            name,
            rows,
            sha256: hex::encode(digest.finalize()),
        };
        self.0.into_iter().map(sum).collect()
    }
}

/// A file of rows that is being written.
struct Sink<'s> {
    file: &'s mut dyn Write,
}

impl Sink<'_> {
    fn line(&mut self, text: &str) -> Result<(), RowsError> {
        self.file.write_all(text.as_bytes())?;
        Ok(self.file.write_all(b"\n")?)
    }

    fn json(&mut self, value: &impl Serialize) -> Result<(), RowsError> {
        let text = serde_json::to_string(value).map_err(|error| RowsError::File(error.into()))?;
        self.line(&text)
    }
}

/// Calls `take` with each row of a snapshot, and returns the sums of the tables. `begin` is called with each table before its rows,
/// also if it has none.
fn each_row<C>(
    snapshot: &mut Snapshot,
    context: &mut C,
    begin: impl Fn(&mut C, &Table) -> Result<(), RowsError>,
    take: impl Fn(&mut C, &str) -> Result<(), RowsError>,
    progress: &dyn Progress,
) -> Result<Vec<TableSum>, BackupError> {
    let mut sums = Sums::default();
    let mut count = 0;
    for table in &snapshot.tables()? {
        sums.begin(&table.name);
        begin(context, table)?;
        snapshot.rows(table, &mut |row| {
            sums.add(&table.name, row);
            count += 1;
            if count % TOLD_EVERY == 0 {
                progress.advance(TOLD_EVERY);
            }
            take(context, row)
        })?;
    }
    Ok(sums.finish())
}

/// Writes all rows of a snapshot, and yields the sums of the tables.
pub(crate) fn write(
    snapshot: &mut Snapshot,
    file: &mut dyn Write,
    progress: &dyn Progress,
) -> Result<Vec<TableSum>, BackupError> {
    let mut sink = Sink { file };
    sink.json(&Tables { tables: snapshot.tables()? })?;
    progress.begin(Step::Rows, 0);
    let begin = |sink: &mut Sink<'_>, table: &Table| sink.json(&Begin { table: table.name.clone() });
    let sums = each_row(snapshot, &mut sink, begin, Sink::line, progress)?;
    progress.end();
    Ok(sums)
}

/// The sums of the tables of a database.
pub(crate) fn sums(snapshot: &mut Snapshot, progress: &dyn Progress) -> Result<Vec<TableSum>, BackupError> {
    each_row(snapshot, &mut (), |(), _| Ok(()), |(), _| Ok(()), progress)
}

//! Rows as a file of lines: first the tables, then for each of them its name and its rows.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tenon_storage::backup::{Batch, RowsError, Snapshot, Table};

use crate::error::BackupError;
use crate::manifest::TableSum;
use crate::progress::{Progress, Step};

/// Bytes that a row may have: a description has at most a megabyte, and its letters may need six bytes each.
const LONGEST_ROW: u64 = 64 << 20;
/// Rows, and their bytes, that are loaded by one statement.
const ROWS_AT_ONCE: usize = 500;
const BYTES_AT_ONCE: usize = 1 << 20;
/// How often progress is told.
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
pub(crate) struct Sums(BTreeMap<String, (u64, Sha256)>);

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

    pub(crate) fn finish(self) -> Vec<TableSum> {
        let sum = |(name, (rows, digest)): (String, (u64, Sha256))| TableSum {
            name,
            rows,
            sha256: hex::encode(digest.finalize()),
        };
        self.0.into_iter().map(sum).collect()
    }
}

/// Writes all rows of a snapshot, and yields the sums of the tables.
pub(crate) fn write(
    snapshot: &mut Snapshot,
    sink: &mut dyn Write,
    progress: &dyn Progress,
) -> Result<Vec<TableSum>, BackupError> {
    let tables = snapshot.tables()?;
    let mut sums = Sums::default();
    let mut line = |text: &str| sink.write_all(text.as_bytes()).and_then(|()| sink.write_all(b"\n"));
    let json = |value: serde_json::Result<String>| value.map_err(|error| RowsError::File(error.into()));
    line(&json(serde_json::to_string(&Tables { tables: tables.clone() }))?).map_err(RowsError::File)?;
    progress.begin(Step::Rows, 0);
    let mut count = 0;
    for table in &tables {
        line(&json(serde_json::to_string(&Begin { table: table.name.clone() }))?).map_err(RowsError::File)?;
        sums.begin(&table.name);
        snapshot.rows(table, &mut |row| {
            sums.add(&table.name, row);
            count += 1;
            if count % TOLD_EVERY == 0 {
                progress.advance(TOLD_EVERY);
            }
            line(row)
        })?;
    }
    progress.end();
    Ok(sums.finish())
}

/// The sums of the tables of a database.
pub(crate) fn sums(snapshot: &mut Snapshot) -> Result<Vec<TableSum>, BackupError> {
    let mut sums = Sums::default();
    for table in &snapshot.tables()? {
        sums.begin(&table.name);
        snapshot.rows(table, &mut |row| {
            sums.add(&table.name, row);
            Ok(())
        })?;
    }
    Ok(sums.finish())
}

/// Reads rows in batches.
pub(crate) struct Reader<'p, R: Read> {
    lines: BufReader<R>,
    table: Option<String>,
    progress: &'p dyn Progress,
}

impl<'p, R: Read> Reader<'p, R> {
    /// Begins to read. Fails unless the first line names the tables `expected`.
    pub(crate) fn new(source: R, expected: &[Table], progress: &'p dyn Progress) -> Result<Self, BackupError> {
        let mut reader = Self { lines: BufReader::with_capacity(1 << 16, source), table: None, progress };
        let first = reader.line().map_err(RowsError::File)?.unwrap_or_default();
        let damaged = || BackupError::damaged("the file of rows", "it does not begin with its tables");
        let Tables { tables } = serde_json::from_str(&first).map_err(|_malformed| damaged())?;
        if let Some(other) = tables.iter().find(|table| !expected.contains(table)) {
            let why = format!("the table {} is not that of the migration that the manifest names", other.name);
            return Err(BackupError::damaged("the file of rows", why));
        }
        Ok(reader)
    }

    /// The next rows of one table; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Batch>, RowsError> {
        let mut rows = Vec::new();
        let mut bytes = 0;
        while rows.len() < ROWS_AT_ONCE && bytes < BYTES_AT_ONCE {
            // A new table ends the batch: its name is read first the next time.
            if !rows.is_empty() && self.lines.fill_buf()?.first() != Some(&b'[') {
                break;
            }
            let Some(line) = self.line()? else { break };
            if line.starts_with('[') {
                bytes += line.len();
                rows.push(line);
            } else {
                let Begin { table } = serde_json::from_str(&line).map_err(io::Error::from)?;
                self.table = Some(table);
            }
        }
        self.progress.advance(rows.len());
        if rows.is_empty() {
            return Ok(None);
        }
        let table = self.table.clone().ok_or_else(|| RowsError::Table(String::new()))?;
        Ok(Some(Batch { table, rows }))
    }

    fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = String::new();
        let count = (&mut self.lines).take(LONGEST_ROW).read_line(&mut line)?;
        if count == 0 {
            return Ok(None);
        }
        if line.pop() != Some('\n') {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a row is too long, or the file ends in it"));
        }
        Ok(Some(line))
    }
}

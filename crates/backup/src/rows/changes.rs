//! Writing what has changed since an earlier backup.

use std::cmp::Ordering;
use std::io::{Read, Write};

use tenon_storage::backup::{RowsError, Snapshot, Table};

use super::key::{Gone, Key, Keyed};
use super::{Begin, Lines, Sink, Tables, each_row};
use crate::error::BackupError;
use crate::manifest::TableSum;
use crate::progress::{Progress, Step};

/// Both states of a table, side by side.
struct Compared<'s, R: Read> {
    earlier: Lines<R>,
    sink: Sink<'s>,
    table: Option<Keyed>,
    /// The key of the last row of the snapshot, and of the last one of the earlier backup.
    last: Option<Key>,
    last_earlier: Option<Key>,
    /// False once a row came before one with a smaller key: then the two cannot be compared.
    is_sorted: bool,
}

/// Writes the rows of a snapshot that are not in `earlier`, and the keys of those that are only there. Yields the sums of all rows of
/// the snapshot; `None` if the two cannot be compared, because their tables differ or one is not sorted: what was written is
/// of no use then.
pub(crate) fn write_changes<R: Read>(
    snapshot: &mut Snapshot,
    earlier: Lines<R>,
    file: &mut dyn Write,
    progress: &dyn Progress,
) -> Result<Option<Vec<TableSum>>, BackupError> {
    let tables = snapshot.tables()?;
    if tables != earlier.tables() || tables.iter().any(|table| table.key.is_empty()) {
        return Ok(None);
    }
    let mut compared =
        Compared { earlier, sink: Sink { file }, table: None, last: None, last_earlier: None, is_sorted: true };
    compared.sink.json(&Tables { tables })?;
    progress.begin(Step::Rows, 0);
    let sums = each_row(snapshot, &mut compared, Compared::begin, Compared::compare, progress)?;
    compared.finish()?;
    progress.end();
    Ok(compared.is_sorted.then_some(sums))
}

impl<R: Read> Compared<'_, R> {
    fn begin(&mut self, table: &Table) -> Result<(), RowsError> {
        self.finish()?;
        self.earlier.begin(table)?;
        self.table = Some(Keyed::new(table));
        self.sink.json(&Begin { table: table.name.clone() })
    }

    /// Takes the next row of the snapshot.
    fn compare(&mut self, row: &str) -> Result<(), RowsError> {
        let Some(table) = &self.table else { return Ok(()) };
        let key = table.key(row)?;
        self.is_sorted &= self.last.as_ref().is_none_or(|last| *last < key);
        while let Some(earlier) = self.earlier.peek() {
            if earlier == row {
                self.earlier.take()?;
                self.last_earlier = Some(key.clone());
                self.last = Some(key);
                return Ok(());
            }
            let earlier = table.key(earlier)?;
            let order = earlier.cmp(&key);
            self.is_sorted &= self.last_earlier.as_ref().is_none_or(|last| *last < earlier);
            if order == Ordering::Greater {
                break;
            }
            self.earlier.take()?;
            self.last_earlier = Some(earlier.clone());
            if order == Ordering::Equal {
                break;
            }
            self.sink.json(&Gone { gone: earlier })?;
        }
        self.last = Some(key);
        self.sink.line(row)
    }

    /// The rows that the table at hand had behind the last one of the snapshot.
    fn finish(&mut self) -> Result<(), RowsError> {
        let Some(table) = self.table.take() else { return Ok(()) };
        self.last = None;
        self.last_earlier = None;
        while let Some(line) = self.earlier.take()? {
            self.sink.json(&Gone { gone: table.key(&line)? })?;
        }
        Ok(())
    }
}

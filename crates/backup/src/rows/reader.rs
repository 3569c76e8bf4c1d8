//! Reading all rows of a backup.

use std::cmp::Ordering;
use std::io::Read;
use std::vec::IntoIter;

use tenon_storage::backup::{Batch, RowsError, Table};

use super::Lines;
use super::key::Keyed;
use crate::error::BackupError;
use crate::progress::Progress;

/// Rows, and their bytes, that are loaded by one statement.
const ROWS_AT_ONCE: usize = 500;
const BYTES_AT_ONCE: usize = 1 << 20;

/// The rows of a backup in batches: those of a file that has all rows, changed as another file says.
pub(crate) struct Reader<'p, R: Read> {
    full: Lines<R>,
    changes: Option<Lines<R>>,
    tables: IntoIter<Table>,
    /// The table at hand.
    table: Option<(String, Keyed)>,
    progress: &'p dyn Progress,
}

impl<'p, R: Read> Reader<'p, R> {
    /// Begins to read. Fails unless the files have the tables `expected`, or some of them.
    pub(crate) fn new(
        full: R,
        changes: Option<R>,
        expected: &[Table],
        progress: &'p dyn Progress,
    ) -> Result<Self, BackupError> {
        let full = Lines::open(full)?;
        let changes = changes.map(Lines::open).transpose()?;
        if let Some(other) = full.tables().iter().find(|table| !expected.contains(table)) {
            let why = format!("the table {} is not that of the migration that the manifest names", other.name);
            return Err(BackupError::damaged("the file of rows", why));
        }
        if changes.as_ref().is_some_and(|changes| changes.tables() != full.tables()) {
            return Err(BackupError::damaged("the file of changed rows", "it has other tables than that of all rows"));
        }
        let tables = full.tables().to_vec().into_iter();
        Ok(Self { full, changes, tables, table: None, progress })
    }

    /// The next rows of one table; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Batch>, RowsError> {
        loop {
            if let Some(batch) = self.batch()? {
                self.progress.advance(batch.rows.len());
                return Ok(Some(batch));
            }
            let Some(table) = self.tables.next() else {
                self.full.end()?;
                self.changes.as_ref().map_or(Ok(()), Lines::end)?;
                return Ok(None);
            };
            self.full.begin(&table)?;
            if let Some(changes) = &mut self.changes {
                changes.begin(&table)?;
            }
            let keyed = Keyed::new(&table);
            self.table = Some((table.name, keyed));
        }
    }

    /// The next rows of the table at hand; `None` at its end.
    fn batch(&mut self) -> Result<Option<Batch>, RowsError> {
        let Some((table, keyed)) = &self.table else { return Ok(None) };
        let mut rows = Vec::new();
        let mut bytes = 0;
        while rows.len() < ROWS_AT_ONCE
            && bytes < BYTES_AT_ONCE
            && let Some(row) = next_row(&mut self.full, self.changes.as_mut(), keyed)?
        {
            bytes += row.len();
            rows.push(row);
        }
        Ok((!rows.is_empty()).then(|| Batch { table: table.clone(), rows }))
    }
}

/// The next row of a table: that of `full`, unless `changes` has one of a key that is not greater.
fn next_row<R: Read>(
    full: &mut Lines<R>,
    mut changes: Option<&mut Lines<R>>,
    keyed: &Keyed,
) -> Result<Option<String>, RowsError> {
    loop {
        let Some(change) = changes.as_deref().and_then(Lines::peek) else { return Ok(full.take()?) };
        let change = keyed.key(change)?;
        let order = match full.peek() {
            Some(row) => keyed.key(row)?.cmp(&change),
            None => Ordering::Greater,
        };
        match order {
            Ordering::Less => return Ok(full.take()?),
            Ordering::Equal => drop(full.take()?),
            Ordering::Greater => {}
        }
        let line = changes.as_deref_mut().map_or(Ok(None), Lines::take)?;
        // A line that says which row is gone is no row.
        if let Some(row) = line.filter(|line| line.starts_with('[')) {
            return Ok(Some(row));
        }
    }
}

//! Reading a file of rows.

use std::io::{self, BufRead as _, BufReader, ErrorKind, Read};

use tenon_storage::backup::{RowsError, Table};

use super::{Begin, Tables};
use crate::error::BackupError;

/// Bytes that a row may have: a description has at most a megabyte, and its letters may need six bytes each.
const LONGEST_ROW: u64 = 64 << 20;

/// The lines of a file of rows, of which one is read ahead.
pub(crate) struct Lines<R: Read> {
    source: BufReader<R>,
    tables: Vec<Table>,
    ahead: Option<String>,
}

impl<R: Read> Lines<R> {
    /// Begins to read. Fails if the first line does not name tables.
    pub(crate) fn open(source: R) -> Result<Self, BackupError> {
        let mut lines = Self { source: BufReader::with_capacity(1 << 16, source), tables: Vec::new(), ahead: None };
        let first = lines.line().map_err(RowsError::File)?.unwrap_or_default();
        let damaged = || BackupError::damaged("the file of rows", "it does not begin with its tables");
        let Tables { tables } = serde_json::from_str(&first).map_err(|_malformed| damaged())?;
        lines.tables = tables;
        lines.ahead = lines.line().map_err(RowsError::File)?;
        Ok(lines)
    }

    /// The tables of the file, in the order in which they come.
    pub(crate) fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Goes on with the rows of the next table. Fails if that is not this one.
    pub(super) fn begin(&mut self, table: &Table) -> Result<(), RowsError> {
        let line = self.ahead.take().unwrap_or_default();
        let found: Option<Begin> = serde_json::from_str(&line).ok();
        if found.is_none_or(|begin| begin.table != table.name) {
            return Err(RowsError::Row { table: table.name.clone() });
        }
        self.ahead = self.line()?;
        Ok(())
    }

    /// The next line of the table at hand, which stays; `None` at its end.
    pub(super) fn peek(&self) -> Option<&str> {
        self.ahead.as_deref().filter(|line| !line.starts_with("{\"table\""))
    }

    /// The next line of the table at hand; `None` at its end.
    pub(super) fn take(&mut self) -> io::Result<Option<String>> {
        if self.peek().is_none() {
            return Ok(None);
        }
        let next = self.line()?;
        Ok(std::mem::replace(&mut self.ahead, next))
    }

    /// Fails if there is more behind the last table.
    pub(super) fn end(&self) -> io::Result<()> {
        if self.ahead.is_none() {
            return Ok(());
        }
        Err(io::Error::new(ErrorKind::InvalidData, "there is more behind the last table"))
    }

    fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = String::new();
        let count = (&mut self.source).take(LONGEST_ROW).read_line(&mut line)?;
        if count == 0 {
            return Ok(None);
        }
        if line.pop() != Some('\n') {
            return Err(io::Error::new(ErrorKind::InvalidData, "a row is too long, or the file ends in it"));
        }
        Ok(Some(line))
    }
}

//! The output of a command as a stream.

use std::fmt;
use std::io::{self, Read};
use std::path::PathBuf;
use std::time::Instant;

use super::failure;
use super::pump::Pump;
use crate::error::GitError;

/// The output of a command, as it prints it. Reading fails if the command does, so that a part is not taken for the
/// whole. Dropping it kills the command.
pub struct GitStream {
    pump: Pump,
    name: &'static str,
    repository: Option<PathBuf>,
    is_finished: bool,
    /// The moment at which the last part was read. The time that its reader takes is not the command's time.
    read_at: Instant,
}

impl GitStream {
    pub(crate) fn new(pump: Pump, name: &'static str, repository: Option<PathBuf>) -> Self {
        Self { pump, name, repository, is_finished: false, read_at: Instant::now() }
    }

    /// Reads the next bytes; 0 at the end of a command that has succeeded.
    pub fn read_part(&mut self, into: &mut [u8]) -> Result<usize, GitError> {
        if self.is_finished || into.is_empty() {
            return Ok(0);
        }
        self.pump.give(self.read_at.elapsed());
        let count = self.pump.read(into)?;
        self.read_at = Instant::now();
        if count == 0 {
            self.is_finished = true;
            let (code, log) = self.pump.finish()?;
            if code != Some(0) {
                return Err(failure(self.name, self.repository.as_deref(), code, log));
            }
        }
        Ok(count)
    }
}

impl GitStream {
    /// The output as records, of which no more than one is held.
    pub(crate) fn records(self) -> Records {
        Records { stream: self, part: vec![0; PART], at: 0, end: 0 }
    }
}

/// Bytes that are read at once.
const PART: usize = 64 << 10;

/// The output of a command, record by record.
#[derive(Debug)]
pub(crate) struct Records {
    stream: GitStream,
    /// The bytes that were read last. Those before `at` and behind `end` do not count.
    part: Vec<u8>,
    at: usize,
    end: usize,
}

impl Records {
    /// The bytes before the next `separator`, or before the end; `None` if the output has ended. Of a longer record
    /// only the first `longest` bytes are kept.
    pub(crate) fn next(&mut self, separator: u8, longest: usize) -> Result<Option<Vec<u8>>, GitError> {
        let mut record = Vec::new();
        let mut has_begun = false;
        loop {
            if self.at == self.end {
                self.end = self.stream.read_part(&mut self.part)?;
                self.at = 0;
                if self.end == 0 {
                    return Ok(has_begun.then_some(record));
                }
            }
            has_begun = true;
            let rest = self.part.get(self.at..self.end).unwrap_or_default();
            let stop = rest.iter().position(|byte| *byte == separator);
            let piece = rest.get(..stop.unwrap_or(rest.len())).unwrap_or_default();
            let room = longest.saturating_sub(record.len()).min(piece.len());
            record.extend_from_slice(piece.get(..room).unwrap_or_default());
            self.at += piece.len() + usize::from(stop.is_some());
            if stop.is_some() {
                return Ok(Some(record));
            }
        }
    }
}

impl Read for GitStream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.read_part(into).map_err(io::Error::other)
    }
}

impl fmt::Debug for GitStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GitStream").field("command", &self.name).finish_non_exhaustive()
    }
}
